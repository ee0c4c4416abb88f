// Edits of an episode: a form makes one in the grammar of the command line, the server previews what
// it changes and its command, and only then it is applied.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { ApiError, get, post } from "../api";
import { Button } from "../components/button";
import { Failure } from "../components/data";
import { Dialog } from "../components/dialog";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import { go } from "../router";
import { ActionEditor } from "../viewer/actioneditor";
import { Command } from "./command";
import { Field } from "./field";
import { modifiers } from "./modifiers";
import type { Action, EditPreview, EpisodeStepView, EpisodeView } from "../generated/api";
import { formatOutcome } from "./format";

const OF_STEP = ["action", "step_instruction", "target", "reasoning", "reward", "messages", "insert"] as const;
const OF_EPISODE = ["delete", "crop", "split", "instruction", "outcome", "remove"] as const;
type Kind = (typeof OF_STEP)[number] | (typeof OF_EPISODE)[number];

const KEYS: Partial<Record<Kind, string>> = { action: "M", insert: "I", delete: "Delete" };
const SETTLED_MS = 250;
const TAP: Action = { type: "tap", at: { x: 0.5, y: 0.5 }, button: "left" };
const OUTCOMES = ["success", "failure", "infeasible", "truncated", "interrupted", "unknown"] as const;

interface Editing {
  readonly episode: EpisodeView;
  readonly step: EpisodeStepView;
}

export function EditPanel({ episode, step, onEdited }: Editing & { readonly onEdited: () => void }): JSX.Element {
  const [kind, setKind] = useState<Kind | null>(null);
  const button = (one: Kind): JSX.Element => (
    <Button key={one} label={t(`edit.${one}`)} keys={KEYS[one]} kind={one === "remove" ? "danger" : "plain"} onPress={() => setKind(one)} />
  );
  return (
    <section class="panel" aria-label={t("edit.title")}>
      <h2>{t("edit.title")}</h2>
      <p class="quiet">{t("edit.step", { step: step.index + 1 })}</p>
      <div class="row">{OF_STEP.map(button)}</div>
      <p class="quiet">{t("edit.episode")}</p>
      <div class="row">{OF_EPISODE.map(button)}</div>
      {kind && <EditDialog key={kind} kind={kind} episode={episode} step={step} onClose={() => setKind(null)} onEdited={onEdited} />}
    </section>
  );
}

function EditDialog({ kind, episode, step, onClose, onEdited }: Editing & {
  readonly kind: Kind;
  readonly onClose: () => void;
  readonly onEdited: () => void;
}): JSX.Element {
  const [text, setText] = useState(() => initialModifiers(kind, episode, step));
  const [version, setVersion] = useState(episode.version);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const preview = usePreview(episode.id, version, text);
  const apply = async (): Promise<void> => {
    if (text === null) return;
    setBusy(true);
    try {
      const { episodes: kept } = await post("api/edit", { id: episode.id, version, modifiers: text });
      const gone = kept.find((one) => one.what === "removed" && one.id === episode.id);
      const summary = kept.map((one) => t(`edit.kept.${one.what}`, { id: one.id, version: one.version })).join(" · ");
      notify("success", summary || t("edit.nothing"), "", "", gone && {
        label: t("history.undo"),
        run: () => void post("api/undo", { id: episode.id, version: gone.version }).then(() => go(["episodes", episode.id]), notifyError),
      });
      onClose();
      if (gone) go(["episodes"], {}, { replace: true });
      else onEdited();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const renew = async (): Promise<void> => {
    try {
      const latest = await get("api/episode", { id: episode.id });
      setVersion(latest.version);
      setError(undefined);
      onEdited();
    } catch (reason) {
      setError(reason);
    }
  };
  const failed = error ?? preview.error;
  const conflict = failed instanceof ApiError && failed.status === 409;
  return (
    <Dialog
      title={t(`edit.${kind}`)}
      onClose={onClose}
      actions={<Button label={t("edit.apply")} kind={kind === "remove" ? "danger" : "primary"} disabled={busy || !preview.value || conflict} onPress={() => void apply()} />}
    >
      <p class="quiet">{t(`edit.${kind}.means`)}</p>
      <Fields kind={kind} episode={episode} step={step} onText={(next) => { setText(next); setError(undefined); }} />
      <div class={kind === "action" || kind === "insert" ? "edit-preview" : ""}>
        {failed !== undefined && <Failure error={failed} />}
        {conflict && <Button label={t("edit.renew")} onPress={() => void renew()} />}
        {preview.value && (
          <>
            <Difference preview={preview.value} />
            <Command line={preview.value.command} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function Difference({ preview }: { readonly preview: EditPreview }): JSX.Element {
  if (preview.lines.length === 0) return <p class="quiet" role="status">{t("edit.same")}</p>;
  return (
    <div class="difference" role="group" aria-label={t("edit.difference")} tabIndex={0}>
      {preview.lines.map((line, index) => (
        <div key={index} class={line.sign === "-" ? "gone" : line.sign === "+" ? "new" : ""}>
          <span class="sign">{line.sign}</span>
          <span class="number">{line.step === null ? "" : line.step + 1}</span>
          <span>{line.text}</span>
        </div>
      ))}
    </div>
  );
}

/** The server's preview of an edit, requested once the form has not changed for a moment. */
function usePreview(id: string, version: number, text: string | null): { value: EditPreview | undefined; error: unknown } {
  const [state, setState] = useState<{ of: string; value: EditPreview | undefined; error: unknown }>({ of: "", value: undefined, error: undefined });
  const of = `${version} ${text ?? ""}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` is made of version and text
  useEffect(() => {
    if (text === null) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      post("api/edit/preview", { id, version, modifiers: text }).then(
        (value) => current && setState({ of, value, error: undefined }),
        (error: unknown) => current && setState({ of, value: undefined, error }),
      );
    }, SETTLED_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [of, id]);
  return state.of === of ? state : { value: undefined, error: undefined };
}

/** The modifiers of an untouched form; null where it has none yet. */
function initialModifiers(kind: Kind, episode: EpisodeView, step: EpisodeStepView): string | null {
  switch (kind) {
    case "delete":
      return modifiers.remove(step.index, step.index + 1);
    case "remove":
      return modifiers.take();
    case "split":
      return step.index > 0 ? modifiers.split(step.index, `${episode.id}-${step.index}`) : null;
    default:
      return null;
  }
}

function Fields({ kind, episode, step, onText }: Editing & { readonly kind: Kind; readonly onText: (text: string) => void }): JSX.Element | null {
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
