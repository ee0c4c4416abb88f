// The form of each kind of edit.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { Action, EpisodeStepView } from "../generated/api";
import { t } from "../i18n";
import { Field } from "../library/field";
import { formatOutcome, OUTCOMES } from "../library/format";
import { ActionEditor } from "./actioneditor";
import type { Editing, Kind } from "./kinds";
import { modifiers } from "./modifiers";

const TAP: Action = { type: "tap", at: { x: 0.5, y: 0.5 }, button: "left" };

export function EditFields({ kind, episode, step, onText }: Editing & { readonly kind: Kind; readonly onText: (text: string) => void }): JSX.Element | null {
  const last = episode.steps.length - 1;
  switch (kind) {
    case "action":
      return <ActionEditor episode={episode.id} step={step} action={step.action} onAction={(action) => onText(modifiers.action(step.index, action))} />;
    case "insert":
      return <ActionEditor episode={episode.id} step={step} action={TAP} onAction={(action) => onText(modifiers.insert(step.index, action))} />;
    case "step_instruction":
    case "target":
    case "reasoning":
      return <Words label={t(`edit.${kind}`)} text={step[kind]} onText={(text) => onText(modifiers[kind](step.index, text))} />;
    case "messages":
      return (
        <Words label={t("edit.messages.lines")} text={step.instructions.join("\n")}
          onText={(text) => onText(modifiers.messages(step.index, text.split("\n").filter((line) => line.trim() !== "")))} />
      );
    case "instruction":
      return <Words label={t("edit.instruction")} text={episode.instruction} onText={(text) => onText(modifiers.instruction(text))} />;
    case "reward":
      return <Reward step={step} onText={onText} />;
    case "delete":
      return <Range first={step.index} last={step.index} most={last} onRange={(from, to) => onText(modifiers.remove(from, to + 1))} />;
    case "crop":
      return <Range first={0} last={last} most={last} onRange={(from, to) => onText(modifiers.crop(from, to + 1))} />;
    case "split":
      return (
        <Field label={t("edit.split.id")}>
          <input value={`${episode.id}-${step.index}`} onInput={(event) => onText(modifiers.split(step.index, event.currentTarget.value))} />
        </Field>
      );
    case "outcome":
      return (
        <Field label={t("edit.outcome")}>
          <select value={episode.outcome} onChange={(event) => onText(modifiers.outcome(event.currentTarget.value))}>
            {OUTCOMES.map((one) => <option key={one} value={one}>{formatOutcome(one)}</option>)}
          </select>
        </Field>
      );
    case "remove":
      return null;
  }
}

function Words({ label, text, onText }: { readonly label: string; readonly text: string; readonly onText: (text: string) => void }): JSX.Element {
  const [value, setValue] = useState(text);
  return (
    <Field label={label}>
      <textarea rows={5} value={value} onInput={(event) => { setValue(event.currentTarget.value); onText(event.currentTarget.value); }} />
    </Field>
  );
}

function Reward({ step, onText }: { readonly step: EpisodeStepView; readonly onText: (text: string) => void }): JSX.Element {
  const take = (text: string): void => {
    const delta = Number(text);
    if (text.trim() !== "" && Number.isFinite(delta)) onText(modifiers.reward(step.index, delta));
  };
  return (
    <Field label={t("edit.reward.delta", { reward: step.reward })}>
      <input type="number" step="any" onInput={(event) => take(event.currentTarget.value)} />
    </Field>
  );
}

function Range({ first, last, most, onRange }: {
  readonly first: number;
  readonly last: number;
  readonly most: number;
  readonly onRange: (first: number, last: number) => void;
}): JSX.Element {
  const [range, setRange] = useState({ first, last });
  const take = (next: { first: number; last: number }): void => {
    setRange(next);
    if (Number.isInteger(next.first) && Number.isInteger(next.last)) onRange(next.first, next.last);
  };
  return (
    <div class="row fields">
      <Field label={t("edit.range.first")}>
        <input type="number" min={1} max={most + 1} value={range.first + 1} onInput={(event) => take({ ...range, first: event.currentTarget.valueAsNumber - 1 })} />
      </Field>
      <Field label={t("edit.range.last")}>
        <input type="number" min={1} max={most + 1} value={range.last + 1} onInput={(event) => take({ ...range, last: event.currentTarget.valueAsNumber - 1 })} />
      </Field>
    </div>
  );
}
