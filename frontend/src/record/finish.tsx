// The dialog that ends a demonstration: its outcome, and the reason where the check does not confirm it.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { post } from "../api";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { useShortcut } from "../components/keys";
import { notifyError } from "../components/notices";
import { t } from "../i18n";
import { formatOutcome } from "../library/format";
import { href } from "../router";
import type { StateMessage } from "../generated/api";
import { isReached, type Outcome } from "./protocol";
import { startOf, type Following, type Start } from "./start";

const OUTCOMES: readonly Outcome[] = ["success", "failure", "infeasible"];

/** Why this outcome needs a reason, or null where it needs none. */
export function requiredReason(
  outcome: Outcome,
  judge: StateMessage["judge"],
  interrupted = false,
): "finish.reason.needed" | "finish.reason.unjudged" | "finish.reason.interrupted" | null {
  if (outcome !== "success") return "finish.reason.needed";
  if (interrupted && !isReached(judge)) return "finish.reason.interrupted";
  return judge === null || isReached(judge) ? null : "finish.reason.unjudged";
}

/** What the dialog begins with: success is never proposed of a device that was not brought back. */
export function proposedOutcome(judge: StateMessage["judge"], interrupted: boolean): Outcome {
  return interrupted && !isReached(judge) ? "failure" : "success";
}

export interface FinishDialogProps {
  readonly state: StateMessage;
  readonly onClose: () => void;
  readonly onFinish: (outcome: Outcome, reason: string, next: boolean) => void;
}

export function FinishDialog({ state, onClose, onFinish }: FinishDialogProps): JSX.Element {
  const [outcome, setOutcome] = useState<Outcome>(() => proposedOutcome(state.judge, state.interrupted !== null));
  const [reason, setReason] = useState("");
  const wanted = requiredReason(outcome, state.judge, state.interrupted !== null);
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
          aria-describedby="reason-required"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <p class="hint" id="reason-required" role="status">
        {wanted && t(wanted)}
      </p>
    </Dialog>
  );
}

export interface FinishedProps {
  readonly state: StateMessage;
  readonly recorded: number;
  /** What comes next; null until it is known. */
  readonly following: Following | null;
  readonly onBegin: (start: Start) => void;
  /** The next one is asked for before it is known. */
  readonly onHurry: () => void;
}

const RATINGS = [1, 2, 3, 4, 5] as const;

/** One rating, which its digit chooses, too: Enter saves it then. */
function Choice({ value, chosen, onChoose }: { readonly value: number; readonly chosen: boolean; readonly onChoose: () => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useShortcut(String(value), t("rating.given", { rating: value }), () => {
    input.current?.focus();
    onChoose();
  });
  return (
    <label class="choice">
      <input ref={input} type="radio" name="rating" value={value} checked={chosen} aria-keyshortcuts={String(value)} onChange={onChoose} /> <kbd>{value}</kbd>
    </label>
  );
}

/** How good the person finds their recording, and a remark on it; it may be given again. */
function Rating({ episode }: { readonly episode: string }): JSX.Element {
  const [rating, setRating] = useState<number | null>(null);
  const [text, setText] = useState("");
  const [saved, setSaved] = useState(false);
  const save = (): void => {
    if (rating !== null) void post("api/recordings/rate", { id: episode, rating, text: text.trim() }).then(() => setSaved(true), notifyError);
  };
  return (
    <form class="rating" onSubmit={(event) => { event.preventDefault(); save(); }}>
      <fieldset>
        <legend>{t("rating.title")}</legend>
        <div class="row">
          {RATINGS.map((one) => <Choice key={one} value={one} chosen={rating === one} onChoose={() => { setRating(one); setSaved(false); }} />)}
        </div>
      </fieldset>
      <label class="field">
        <span>{t("rating.remark")}</span>
        <textarea rows={2} maxLength={4000} value={text} onInput={(event) => { setText(event.currentTarget.value); setSaved(false); }} />
      </label>
      <button type="submit" class="button" disabled={rating === null || saved}>{t(saved ? "rating.saved" : "rating.save")}</button>
    </form>
  );
}

/** Shown in place of the screen once the demonstration has ended. */
export function Finished({ state, recorded, following, onBegin, onHurry }: FinishedProps): JSX.Element {
  const discarded = state.outcome === "discarded";
  const box = useRef<HTMLDivElement>(null);
  const next = !discarded && following !== null && typeof following !== "string" ? following : null;
  const waits = !discarded && following === null;
  const again = discarded || following === "own" || (following === "done" && state.assignment === null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button comes with what follows
  useEffect(() => box.current?.querySelector<HTMLElement>(".primary")?.focus(), [following]);
  return (
    <div class="panel finished" ref={box}>
      <div role="status">
        <h2>{discarded ? t("finished.discarded") : `✓ ${t("finished.title")}`}</h2>
      </div>
      {!discarded && state.outcome && (
        <p>{t("finished.steps", { n: state.steps.length, outcome: formatOutcome(state.outcome) })}</p>
      )}
      <p class="quiet">{t("record.count", { n: recorded })}</p>
      {!discarded && <Rating episode={state.episode} />}
      {next && (
        <p>
          <span class="quiet">{t(state.assignment === null ? "home.next" : "finished.queue")}</span> {next.words}
        </p>
      )}
      {following === "done" && <p>{t(state.assignment === null ? "finished.all" : "home.queue.empty", { suite: state.suite })}</p>}
      <div class="row">
        {(next || waits) && <Button label={t("finished.next")} kind="primary" keys="N" onPress={() => (next ? onBegin(next.start) : onHurry())} />}
        {again && (
          <Button
            label={t(discarded ? "finished.again" : "finished.repeat")}
            kind={following === "done" ? "plain" : "primary"}
            keys="N"
            onPress={() => onBegin(startOf(state))}
          />
        )}
        {!discarded && (
          <a class="button" href={href(["episodes", state.episode])}>
            {t("finished.look")}
          </a>
        )}
        <a class={`button ${following === "done" ? "primary" : "quiet"}`} href={href([])}>
          {t("finished.home")}
        </a>
      </div>
    </div>
  );
}
