// A form for one action: its kind, and what that kind has. Places are fractions of the screen.

import type { JSX } from "preact";

import { t } from "../i18n";
import { Field } from "../library/field";
import type { Action } from "../generated/api";

const MIDDLE = { x: 0.5, y: 0.5 };
const KEYS = [
  "back", "forward", "home", "recents", "menu", "power", "volume_up", "volume_down", "camera", "clear", "rotate", "enter", "backspace", "delete", "tab",
  "escape", "space", "up", "down", "left", "right", "page_up", "page_down", "move_home", "move_end",
] as const;

/** An action of each kind, to begin with. */
const BEGUN: Readonly<Record<Action["type"], Action>> = {
  tap: { type: "tap", at: MIDDLE, button: "left" },
  double_tap: { type: "double_tap", at: MIDDLE },
  triple_tap: { type: "triple_tap", at: MIDDLE },
  long_press: { type: "long_press", at: MIDDLE, duration_s: 0.8 },
  swipe: { type: "swipe", start: { x: 0.5, y: 0.8 }, end: { x: 0.5, y: 0.2 }, duration_s: 0.3 },
  drag: { type: "drag", start: { x: 0.5, y: 0.8 }, end: { x: 0.5, y: 0.2 }, duration_s: 0.8 },
  hover: { type: "hover", at: MIDDLE },
  scroll: { type: "scroll", at: MIDDLE, dx: 0, dy: 0.5 },
  type_text: { type: "type_text", text: "", at: null, clear: false },
  press_key: { type: "press_key", key: "back" },
  hotkey: { type: "hotkey", keys: ["control", "c"] },
  open_app: { type: "open_app", app: "" },
  goto: { type: "goto", url: "https://" },
  new_tab: { type: "new_tab", url: "" },
  close_tab: { type: "close_tab" },
  switch_tab: { type: "switch_tab", tab: 0 },
  wait: { type: "wait", duration_s: 1 },
  answer: { type: "answer", text: "" },
  finish: { type: "finish", outcome: "success", reason: "" },
};
const TYPES = Object.keys(BEGUN) as Action["type"][];

export function ActionFields({ action, onAction }: { readonly action: Action; readonly onAction: (action: Action) => void }): JSX.Element {
  return (
    <>
      <Field label={t("edit.kind")}>
        <select value={action.type} onChange={(event) => onAction(changeKind(action, event.currentTarget.value as Action["type"]))}>
          {TYPES.map((type) => <option key={type} value={type}>{t(`kind.${type}`)}</option>)}
        </select>
      </Field>
      <div class="row fields">
        {Object.entries(action).map(([name, value]) => name !== "type" && (
          <Part key={`${action.type} ${name}`} name={name} value={value as Value} onValue={(next) => onAction({ ...action, [name]: next } as Action)} />
        ))}
      </div>
    </>
  );
}

/** An action of another kind that keeps what both have: place, times, words, and where a path begins. */
export function changeKind(action: Action, type: Action["type"]): Action {
  const begun = { ...BEGUN[type] };
  const parts = begun as unknown as Record<string, unknown>;
  const before = action as unknown as Readonly<Record<string, unknown>>;
  const place = before["at"] ?? before["start"];
  for (const name of Object.keys(parts)) {
    if (name === "type" || name === "duration_s") continue;
    const kept = before[name] ?? (name === "at" || name === "start" ? place : undefined);
    if (kept !== undefined) parts[name] = kept;
  }
  return begun;
}

type Value = string | number | boolean | null | { readonly x: number; readonly y: number } | readonly string[];

function Part({ name, value, onValue }: { readonly name: string; readonly value: Value; readonly onValue: (value: Value) => void }): JSX.Element | null {
  if (value === null) return null;
  if (typeof value === "boolean") {
    return (
      <Field label={nameOf(name)}>
        <input type="checkbox" checked={value} onChange={(event) => onValue(event.currentTarget.checked)} />
      </Field>
    );
  }
  if (typeof value === "number") return <Decimal label={nameOf(name)} value={value} onValue={onValue} />;
  if (typeof value === "object" && "x" in value) {
    return (
      <>
        <Decimal label={`${nameOf(name)} x`} value={value.x} onValue={(x) => onValue({ ...value, x })} />
        <Decimal label={`${nameOf(name)} y`} value={value.y} onValue={(y) => onValue({ ...value, y })} />
      </>
    );
  }
  const choices = name === "key" ? KEYS : name === "button" ? ["left", "right", "middle"] : name === "outcome" ? ["success", "failure", "infeasible"] : null;
  return (
    <Field label={nameOf(name)}>
      {choices && typeof value === "string" ? (
        <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {choices.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
      ) : typeof value === "string" ? (
        <input value={value} onInput={(event) => onValue(event.currentTarget.value)} />
      ) : (
        <input value={value.join("+")} onInput={(event) => onValue(event.currentTarget.value.split("+"))} />
      )}
    </Field>
  );
}

function Decimal({ label, value, onValue }: { readonly label: string; readonly value: number; readonly onValue: (value: number) => void }): JSX.Element {
  return (
    <Field label={label}>
      <input type="number" step="any" value={value} onInput={(event) => Number.isFinite(event.currentTarget.valueAsNumber) && onValue(event.currentTarget.valueAsNumber)} />
    </Field>
  );
}

function nameOf(name: string): string {
  switch (name) {
    case "at":
    case "start":
    case "end":
    case "duration_s":
    case "dx":
    case "dy":
    case "text":
    case "key":
    case "keys":
    case "app":
    case "url":
    case "tab":
    case "clear":
    case "button":
    case "outcome":
    case "reason":
      return t(`field.${name}`);
    default:
      return name;
  }
}
