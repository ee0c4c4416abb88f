// A device that is used with a mouse and a keyboard, as a desktop or a web page is, and not by touch.

import type { StateMessage } from "../generated/api";
import type { Point } from "../components/geometry";
import type { UserAction } from "./protocol";

type Key = StateMessage["keys"][number];

/** The names of a press: the button of a pointer event, by its number. */
export const BUTTONS = ["left", "middle", "right", "back", "forward"] as const;
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
export function wheelScroll(at: Point, dx: number, dy: number, held: readonly string[] = []): UserAction {
  const screens = (turned: number): number => Number(Math.max(-MOST_SCREENS, Math.min(MOST_SCREENS, turned)).toFixed(4));
  return { type: "scroll", at, dx: screens(dx), dy: screens(dy), ...holding(held) };
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

type Held = Pick<KeyboardEvent, "ctrlKey" | "altKey" | "shiftKey" | "metaKey">;

/** The keys that are down while a person clicks or turns the wheel. */
export function heldKeys(event: Held): readonly string[] {
  return MODIFIERS.filter(([flag]) => event[flag]).map(([, name]) => name);
}

/** The field of an action for keys that are held; without any there is none. */
export function holding(held: readonly string[]): { held?: string[] } {
  return held.length > 0 ? { held: [...held] } : {};
}

/** From this long on, in milliseconds, keys that are pressed together count as held. */
const HELD_MS = 500;

/** A chord that was down from one moment to another, both in milliseconds. */
export function heldChord(chord: UserAction, downMs: number, upMs: number): UserAction {
  const lasted = upMs - downMs;
  return chord.type === "hotkey" && lasted >= HELD_MS ? { ...chord, duration_s: Number((lasted / 1000).toFixed(2)) } : chord;
}

/** The least difference, as a share of the screen, by which a way counts as bent. */
const BEND = 0.006;
const MOST_PLACES = 200;

/** The places that a way goes through between its ends, but for those on a line between others. */
export function thinWay(places: readonly Point[]): Point[] {
  for (let bend = BEND; ; bend *= 2) {
    const kept = bends(places, bend);
    if (kept.length <= MOST_PLACES) return kept;
  }
}

/** Ramer, Douglas and Peucker's rule, without the ends. */
function bends(places: readonly Point[], least: number): Point[] {
  const first = places[0];
  const last = places.at(-1);
  if (!first || !last || places.length < 3) return [];
  const [index, far] = farthest(places, first, last);
  if (far <= least) return [];
  const place = places[index];
  return place ? [...bends(places.slice(0, index + 1), least), place, ...bends(places.slice(index), least)] : [];
}

/** The place that is farthest from the line between two, by its index, and how far that is. */
function farthest(places: readonly Point[], first: Point, last: Point): [number, number] {
  const [dx, dy] = [last.x - first.x, last.y - first.y];
  const length = Math.hypot(dx, dy);
  let found: [number, number] = [0, 0];
  places.forEach((place, index) => {
    const [x, y] = [place.x - first.x, place.y - first.y];
    const along = length === 0 ? 0 : Math.max(0, Math.min(1, (x * dx + y * dy) / length ** 2));
    const far = Math.hypot(x - along * dx, y - along * dy);
    if (far > found[1]) found = [index, far];
  });
  return found;
}

/** The chord of a key that is pressed with control, alt or the command key; null for any other. */
export function pressedChord(event: Held & Pick<KeyboardEvent, "key">): UserAction | null {
  const held = heldKeys(event);
  const bare = ["Control", "Alt", "Shift", "Meta", "AltGraph", "Dead", "Unidentified"].includes(event.key);
  if (bare || !(event.ctrlKey || event.altKey || event.metaKey)) return null;
  return { type: "hotkey", keys: [...held, event.key === " " ? "space" : event.key.toLowerCase()] };
}
