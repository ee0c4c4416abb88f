// A device that is used with a mouse and a keyboard, as a desktop or a web page is, and not by touch.

import type { StateMessage } from "../generated/api";
import type { Point } from "../components/geometry";
import type { UserAction } from "./protocol";

type Key = StateMessage["keys"][number];

/** The names of a press: the button of a pointer event, by its number. */
export const BUTTONS = ["left", "middle", "right"] as const;
export type MouseButton = (typeof BUTTONS)[number];

/** Phones have a key for recent apps; what has none of it and escapes is used with a mouse. */
export function usesMouse(keys: readonly Key[]): boolean {
  return keys.includes("escape") && !keys.includes("recents");
}

/** Whether pages have addresses: only browsers go forward. */
export function isBrowser(keys: readonly Key[]): boolean {
  return usesMouse(keys) && keys.includes("forward");
}

const MOST_SCREENS = 100;

/** Turns of a wheel, in screens of content: down and to the right is positive. */
export function wheelScroll(at: Point, dx: number, dy: number): UserAction {
  const screens = (turned: number): number => Number(Math.max(-MOST_SCREENS, Math.min(MOST_SCREENS, turned)).toFixed(4));
  return { type: "scroll", at, dx: screens(dx), dy: screens(dy) };
}

/** What "ctrl+shift+t", "ctrl++" or "escape" says; null for what is not complete. */
export function readChord(text: string, keys: readonly Key[]): UserAction | null {
  const written = text.trim().toLowerCase();
  const plus = /(^|\+\s*)\+$/.exec(written);
  const before = plus ? written.slice(0, plus.index) : written;
  const names = [...(before === "" ? [] : before.split("+").map((name) => name.trim())), ...(plus ? ["+"] : [])];
  if (names.length === 0 || names.includes("")) return null;
  const key = names.length === 1 ? keys.find((one) => one === names[0]) : undefined;
  return key === undefined ? { type: "hotkey", keys: names } : { type: "press_key", key };
}

const MODIFIERS: readonly (readonly [keyof Pick<KeyboardEvent, "ctrlKey" | "altKey" | "shiftKey" | "metaKey">, string])[] = [
  ["ctrlKey", "control"],
  ["altKey", "alt"],
  ["shiftKey", "shift"],
  ["metaKey", "meta"],
];

/** The chord of a key that is pressed with control, alt or the command key; null for any other. */
export function pressedChord(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">): UserAction | null {
  const held = MODIFIERS.filter(([flag]) => event[flag]).map(([, name]) => name);
  const bare = ["Control", "Alt", "Shift", "Meta", "AltGraph", "Dead", "Unidentified"].includes(event.key);
  if (bare || !(event.ctrlKey || event.altKey || event.metaKey)) return null;
  return { type: "hotkey", keys: [...held, event.key === " " ? "space" : event.key.toLowerCase()] };
}
