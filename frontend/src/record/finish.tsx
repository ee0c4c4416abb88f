// Ending a demonstration: how it ended, and why where the task's check does not say that it is done.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { t } from "../i18n";
import { outcomeWord } from "../library/words";
import { href } from "../router";
import type { StateMessage } from "../generated/api";
import { isReached, type Outcome } from "./protocol";

const OUTCOMES: readonly Outcome[] = ["success", "failure", "infeasible"];

/** Why a reason is wanted for this outcome, or null where none is. */
export function reasonWanted(outcome: Outcome, judge: StateMessage["judge"]): "finish.reason.needed" | "finish.reason.unjudged" | null {
  if (outcome !== "success") return "finish.reason.needed";
  return judge === null || isReached(judge) ? null : "finish.reason.unjudged";
}

export interface FinishDialogProps {
  readonly state: StateMessage;
  readonly onClose: () => void;
  readonly onFinish: (outcome: Outcome, reason: string, next: boolean) => void;
}

export function FinishDialog({ state, onClose, onFinish }: FinishDialogProps): JSX.Element {
  const [outcome, setOutcome] = useState<Outcome>("success");
  const [reason, setReason] = useState("");
  const wanted = reasonWanted(outcome, state.judge);
  const missing = wanted !== null && reason.trim() === "";
  return (
    <Dialog
      title={t("finish.title")}
      onClose={onClose}
      actions={
        <>
          <Button label={t("finish.next")} disabled={missing} onPress={() => onFinish(outcome, reason.trim(), true)} />
          <Button label={t("flow.finish")} kind="primary" disabled={missing} onPress={() => onFinish(outcome, reason.trim(), false)} />
        </>
      }
    >
      <fieldset>
        <legend>{t("finish.outcome")}</legend>
        {OUTCOMES.map((one) => (
          <label key={one} class="choice">
            <input type="radio" name="outcome" value={one} checked={outcome === one} onChange={() => setOutcome(one)} /> {t(`finish.${one}`)}
          </label>
        ))}
      </fieldset>
      <label class="field">
        <span>{t("finish.reason")}</span>
        <textarea
          rows={2}
          value={reason}
          required={wanted !== null}
          aria-describedby="reason-wanted"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <p class="hint" id="reason-wanted" role="status">
        {wanted && t(wanted)}
      </p>
    </Dialog>
  );
}

/** Shown in place of the screen once the demonstration has ended. */
export function Finished({
  state,
  recorded,
  onNext,
}: {
  readonly state: StateMessage;
  readonly recorded: number;
  readonly onNext: () => void;
}): JSX.Element {
  const discarded = state.outcome === "discarded";
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("button")?.focus(), []);
  return (
    <div class="panel finished" ref={box}>
      <div role="status">
        <h2>{discarded ? t("finished.discarded") : `✓ ${t("finished.title")}`}</h2>
      </div>
      {!discarded && state.outcome && (
        <p>{t("finished.steps", { n: state.steps.length, outcome: outcomeWord(state.outcome) })}</p>
      )}
      <p class="quiet">{t("record.count", { n: recorded })}</p>
      <div class="row">
        <Button label={discarded ? t("finished.again") : t("finished.next")} kind="primary" keys="N" onPress={onNext} />
        {!discarded && (
          <a class="button" href={href(["episodes", state.episode])}>
            {t("finished.look")}
          </a>
        )}
        <a class="button quiet" href={href([])}>
          {t("finished.home")}
        </a>
      </div>
    </div>
  );
}
