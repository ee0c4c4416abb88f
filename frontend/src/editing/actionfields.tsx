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
  tap: { type: "tap", at: MIDDLE, button: "left", held: [] },
  double_tap: { type: "double_tap", at: MIDDLE, button: "left", held: [] },
  triple_tap: { type: "triple_tap", at: MIDDLE, button: "left", held: [] },
  long_press: { type: "long_press", at: MIDDLE, duration_s: 0.8, button: "left", held: [] },
  swipe: { type: "swipe", start: { x: 0.5, y: 0.8 }, end: { x: 0.5, y: 0.2 }, duration_s: 0.3 },
  drag: { type: "drag", start: { x: 0.5, y: 0.8 }, end: { x: 0.5, y: 0.2 }, duration_s: 0.8, path: [], button: "left", held: [] },
  hover: { type: "hover", at: MIDDLE, held: [] },
  scroll: { type: "scroll", at: MIDDLE, dx: 0, dy: 0.5, held: [] },
  button_down: { type: "button_down", at: MIDDLE, button: "left" },
  button_up: { type: "button_up", at: MIDDLE, button: "left" },
  key_down: { type: "key_down", key: "shift" },
  key_up: { type: "key_up", key: "shift" },
  type_text: { type: "type_text", text: "", at: null, clear: false },
  press_key: { type: "press_key", key: "back" },
  hotkey: { type: "hotkey", keys: ["control", "c"], duration_s: 0 },
  open_app: { type: "open_app", app: "" },
  goto: { type: "goto", url: "https://" },
  new_tab: { type: "new_tab", url: "" },
  close_tab: { type: "close_tab" },
  switch_tab: { type: "switch_tab", tab: 0 },
  wait: { type: "wait", duration_s: 1 },
  answer: { type: "answer", text: "" },
  ask_user: { type: "ask_user", text: "" },
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
        {Object.entries(withDefaults(action)).map(([name, value]) => name !== "type" && (
          <Part key={`${action.type} ${name}`} type={action.type} name={name} value={value as Value} onValue={(next) => onAction({ ...action, [name]: next } as Action)} />
        ))}
      </div>
    </>
  );
}

/** The action with what JSON leaves out: the left button, no held keys, no path. A place that it has not stays away. */
function withDefaults(action: Action): Action {
  const { at, ...begun } = BEGUN[action.type] as Action & { at?: unknown };
  return { ...begun, ...action } as Action;
}

/** An action of another kind that keeps what both have: place, times, words, and where a path begins. */
export function changeKind(action: Action, type: Action["type"]): Action {
  const begun = { ...BEGUN[type] };
  const parts = begun as unknown as Record<string, unknown>;
  const before = action as unknown as Readonly<Record<string, unknown>>;
  const place = before["at"] ?? before["start"];
  for (const name of Object.keys(parts)) {
    if (name === "type" || name === "duration_s") continue;
    // A phone's keys are not those of a keyboard.
    if (name === "key" && (action.type === "press_key") !== (type === "press_key")) continue;
    const kept = before[name] ?? (name === "at" || name === "start" ? place : undefined);
    if (kept !== undefined) parts[name] = kept;
  }
  return begun;
}

type Place = { readonly x: number; readonly y: number };
type Value = string | number | boolean | null | Place | readonly string[] | readonly Place[];
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  button: ["left", "right", "middle", "back", "forward"],
  outcome: ["success", "failure", "infeasible"],
};

function Part({ type, name, value, onValue }: { readonly type: Action["type"]; readonly name: string; readonly value: Value; readonly onValue: (value: Value) => void }): JSX.Element | null {
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
  if (Array.isArray(value) && name === "path") return <Way places={value as readonly Place[]} onPlaces={onValue} />;
  const choices = type === "press_key" ? KEYS : CHOICES[name];
  return (
    <Field label={nameOf(name)}>
      {choices && typeof value === "string" ? (
        <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {choices.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
      ) : typeof value === "string" ? (
        <input value={value} onInput={(event) => onValue(event.currentTarget.value)} />
      ) : (
        <input value={(value as readonly string[]).join("+")} onInput={(event) => onValue(splitKeys(event.currentTarget.value, name))} />
      )}
    </Field>
  );
}

/** Keys that are held may be none; those that are pressed together may not. */
function splitKeys(text: string, name: string): readonly string[] {
  return name === "held" && text.trim() === "" ? [] : text.split("+");
}

/** The places of a path, one "x y" after the other with a semicolon between them. */
function Way({ places, onPlaces }: { readonly places: readonly Place[]; readonly onPlaces: (places: readonly Place[]) => void }): JSX.Element {
  return (
    <Field label={nameOf("path")}>
      <input
        value={places.map(({ x, y }) => `${x} ${y}`).join("; ")}
        onChange={(event) => {
          const read = readPath(event.currentTarget.value);
          if (read) onPlaces(read);
        }}
      />
    </Field>
  );
}

/** The places that "0.1 0.2; 0.3 0.4" says; null for what is none. */
export function readPath(text: string): readonly Place[] | null {
  const pairs = text.split(";").filter((one) => one.trim() !== "").map((one) => one.trim().split(/[\s,]+/).map(Number));
  const places = pairs.map(([x, y]) => ({ x: x ?? Number.NaN, y: y ?? Number.NaN }));
  const good = pairs.every((one) => one.length === 2) && places.every(({ x, y }) => x >= 0 && x <= 1 && y >= 0 && y <= 1);
  return good ? places : null;
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
    case "held":
    case "path":
    case "outcome":
    case "reason":
      return t(`field.${name}`);
    default:
      return name;
  }
}
