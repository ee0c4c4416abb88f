// The recorded steps, scrolled to the newest, each with its picture and a note.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { imageUrl } from "../api";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { Thumb } from "../components/thumb";
import { t } from "../i18n";
import { Folded } from "../library/folded";
import { describeAction } from "../library/format";
import type { StateMessage, StepView } from "../generated/api";
import { SaveStatus } from "./status";
import type { Session } from "./session";

const THUMB_PX = 96;

export interface StepsProps {
  readonly session: Session;
  readonly state: StateMessage;
  /** Whether the server takes commands from this tab now: an undo that waited would surprise. */
  readonly active: boolean;
}

export function Steps({ session, state, active }: StepsProps): JSX.Element {
  const [noteStep, setNoteStep] = useState<StepView | null>(null);
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when a step is added
  useEffect(() => {
    // The list alone: the screen must not move below a finger.
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [state.steps.length]);
  return (
    <section class="panel steps" aria-label={t("steps.title")}>
      <header class="row">
        <h2>
          {t("steps.title")} <span class="tag">{state.steps.length}</span>
        </h2>
        <SaveStatus session={session} />
      </header>
      {state.steps.length === 0 && <p class="hint">{t("steps.none")}</p>}
      <ol ref={list} tabIndex={0} aria-label={t("steps.title")}>
        {state.steps.map((step) => (
          <Step key={step.index} step={step} last={step === state.steps.at(-1)} episode={state.episode} onNote={active ? () => setNoteStep(step) : undefined} />
        ))}
      </ol>
      <footer>
        <div class="row">
          <Button label={t("steps.undo")} keys="U" disabled={!active || state.steps.length === 0} onPress={() => session.send({ t: "undo" })} />
          <Button label={t("steps.redo")} keys="Shift+U" disabled={!active || state.undone === 0} onPress={() => session.send({ t: "redo" })} />
        </div>
        <p class="hint">{t("steps.undo.note")}</p>
      </footer>
      {noteStep && (
        <NoteDialog
          step={noteStep}
          onClose={() => setNoteStep(null)}
          onSave={(note) => {
            session.send({ t: "note", step: noteStep.index, note });
            setNoteStep(null);
          }}
        />
      )}
    </section>
  );
}

function Step({ step, last, episode, onNote }: {
  readonly step: StepView;
  readonly last: boolean;
  readonly episode: string;
  readonly onNote: (() => void) | undefined;
}): JSX.Element {
  return (
    <li class="step">
      <Thumb src={imageUrl("api/thumb", { episode, sha: step.frame_sha, w: THUMB_PX })} />
      <div>
        <p>
          <span class="number">{step.index + 1}</span> <Folded text={describeAction(step.action)} />
          {step.reply && <span class="quiet"> {t("steps.reply", { reply: step.reply })}</span>}
          {step.target && <span class="quiet"> {t("steps.target", { target: step.target })}</span>}
        </p>
        <p class="step-facts">
          {step.stale && (
            <span class="tag warn" title={t("steps.stale")}>
              {t("steps.stale.tag")}
            </span>
          )}
          {step.refused && <span class="tag bad">{t("steps.refused", { why: step.refused })}</span>}
          {step.reward !== 0 && <span class={`tag ${step.reward > 0 ? "good" : "warn"}`}>{t("steps.reward", { reward: step.reward })}</span>}
          {step.said.map((line, index) => <span key={index} class="said">{line.text}</span>)}
          {step.note && <span class="note">{step.note}</span>}
        </p>
      </div>
      {onNote && <Button label={t("steps.note.add", { n: step.index + 1 })} kind="quiet" bare icon="✎" keys={last ? "Shift+S" : undefined} onPress={onNote} />}
    </li>
  );
}

function NoteDialog({
  step,
  onClose,
  onSave,
}: {
  readonly step: StepView;
  readonly onClose: () => void;
  readonly onSave: (note: string) => void;
}): JSX.Element {
  const [note, setNote] = useState(step.note);
  return (
    <Dialog
      title={t("steps.note.of", { n: step.index + 1 })}
      onClose={onClose}
      actions={<Button label={t("save")} kind="primary" onPress={() => onSave(note)} />}
    >
      <label class="field">
        <span>{t("steps.note")}</span>
        <textarea rows={3} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
    </Dialog>
  );
}
