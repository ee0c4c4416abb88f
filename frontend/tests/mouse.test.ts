import { expect, test } from "vitest";

import { heldChord, isBrowser, pressedChord, readChord, thinWay, usesMouse, wheelScroll } from "../src/record/mouse";

test("a desktop and a page are used with a mouse, a phone is not", () => {
  expect(usesMouse(["home", "enter", "escape", "tab"])).toBe(true);
  expect(usesMouse(["back", "home", "recents", "enter", "escape"])).toBe(false);
  expect(usesMouse([])).toBe(false);
  expect([isBrowser(["escape", "back", "forward"]), isBrowser(["escape"])]).toEqual([true, false]);
});

test("what is turned further than any page goes is cut", () => {
  expect(wheelScroll({ x: 0.5, y: 0.5 }, 0, 1.23456)).toEqual({ type: "scroll", at: { x: 0.5, y: 0.5 }, dx: 0, dy: 1.2346 });
  expect(wheelScroll({ x: 0.5, y: 0.5 }, -1e9, 1e9)).toEqual({ type: "scroll", at: { x: 0.5, y: 0.5 }, dx: -100, dy: 100 });
});

test.each([
  ["ctrl+s", { type: "hotkey", keys: ["ctrl", "s"] }],
  [" Ctrl + Shift + T ", { type: "hotkey", keys: ["ctrl", "shift", "t"] }],
  ["f5", { type: "hotkey", keys: ["f5"] }],
  ["escape", { type: "press_key", key: "escape" }],
  ["ctrl++", { type: "hotkey", keys: ["ctrl", "+"] }],
  ["+", { type: "hotkey", keys: ["+"] }],
  ["", null],
  ["ctrl+", null],
])("%s is written as a chord", (text, action) => {
  expect(readChord(text, ["escape"])).toEqual(action);
});

test("a chord is pressed with a modifier that is not shift alone", () => {
  const none = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
  expect(pressedChord({ ...none, key: "S", ctrlKey: true, shiftKey: true })).toEqual({ type: "hotkey", keys: ["control", "shift", "s"] });
  expect(pressedChord({ ...none, key: "Control", ctrlKey: true })).toBeNull();
  expect(pressedChord({ ...none, key: "A", shiftKey: true })).toBeNull();
});

test("keys that are down while the wheel turns are held", () => {
  expect(wheelScroll({ x: 0.5, y: 0.5 }, 0, 1, ["control"])).toEqual({ type: "scroll", at: { x: 0.5, y: 0.5 }, dx: 0, dy: 1, held: ["control"] });
});

test("a chord that stays down says how long, and a short one does not", () => {
  const chord = { type: "hotkey", keys: ["control", "f"] } as const;
  expect(heldChord({ ...chord, keys: [...chord.keys] }, 1000, 1120)).toEqual(chord);
  expect(heldChord({ ...chord, keys: [...chord.keys] }, 1000, 2234)).toEqual({ ...chord, duration_s: 1.23 });
});

test("a way keeps the places where it bends, and no others", () => {
  const straight = Array.from({ length: 50 }, (_, at) => ({ x: at / 100, y: 0.3 }));
  const down = Array.from({ length: 30 }, (_, at) => ({ x: 0.49, y: 0.3 + (at + 1) / 100 }));
  expect(thinWay(straight)).toEqual([]);
  expect(thinWay([...straight, ...down])).toEqual([{ x: 0.49, y: 0.3 }]);
  expect(thinWay([])).toEqual([]);
});

test("a way of very many bends keeps at most two hundred places", () => {
  const places = Array.from({ length: 5000 }, (_, at) => ({ x: (at % 97) / 97, y: (at % 89) / 89 }));
  expect(thinWay(places).length).toBeLessThanOrEqual(200);
});
