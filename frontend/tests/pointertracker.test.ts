import { beforeEach, describe, expect, test, vi } from "vitest";

import type { UserAction, Notification } from "../src/record/protocol";
import { PointerTracker } from "../src/record/pointertracker";

let acts: { action: UserAction; frame: number }[];
let sent: Notification[];
let joins: boolean;
let mouse: boolean;
let strokes: PointerTracker;

beforeEach(() => {
  vi.useFakeTimers();
  acts = [];
  sent = [];
  joins = false;
  mouse = false;
  strokes = new PointerTracker({
    // 100 x 200 pixels of the display, from (50, 0) on, with bars left and right
    place: () => ({ rect: { left: 0, top: 0, width: 200, height: 200 }, size: { width: 1080, height: 2160 } }),
    notify: (message) => void sent.push(message),
    act: (action, frame) => void acts.push({ action, frame }),
    draw: () => undefined,
    joinsTaps: () => joins,
    usesMouse: () => mouse,
  });
});

function tap(x: number, y: number, ms: number, frame: number): void {
  strokes.down({ x, y, ms }, frame);
  strokes.up({ x, y, ms: ms + 40 });
}

test("a tap is sent at once, with the frame that was seen when the finger went down", () => {
  tap(100, 100, 0, 7);
  expect(acts).toEqual([{ action: { type: "tap", at: { x: 0.5, y: 0.5 }, button: "left" }, frame: 7 }]);
});

test("every move is sent as it happens, in order, as one stroke", () => {
  strokes.down({ x: 100, y: 150, ms: 0 }, 3);
  for (let move = 1; move <= 60; move++) strokes.move({ x: 100, y: 150 - move, ms: move * 10 });
  strokes.up({ x: 100, y: 90, ms: 610 });
  expect(sent.map((message) => (message.t === "touch" ? message.phase : ""))).toEqual(["down", ...Array<string>(60).fill("move"), "up"]);
  expect(new Set(sent.map((message) => (message.t === "touch" ? message.stroke : 0))).size).toBe(1);
  expect(acts).toHaveLength(1);
});

test("a finger that is lifted beyond the screen ends at its edge", () => {
  strokes.down({ x: 100, y: 100, ms: 0 }, 1);
  strokes.move({ x: 300, y: 100, ms: 50 });
  strokes.up({ x: 900, y: -50, ms: 90 });
  expect(acts[0]?.action).toEqual({ type: "swipe", start: { x: 0.5, y: 0.5 }, end: { x: 1, y: 0 }, duration_s: 0.09 });
});

test("beside the screen there is nothing to touch", () => {
  expect(strokes.down({ x: 20, y: 100, ms: 0 }, 1)).toBe(false);
  strokes.up({ x: 100, y: 100, ms: 50 });
  expect([acts, sent]).toEqual([[], []]);
});

test("a stroke that the browser takes away is sent and does nothing", () => {
  strokes.down({ x: 100, y: 100, ms: 0 }, 1);
  strokes.cancel();
  strokes.up({ x: 100, y: 100, ms: 50 });
  expect(acts).toEqual([]);
  expect(sent.at(-1)).toMatchObject({ phase: "cancel" });
});

describe("two quick taps", () => {
  test("are two taps", () => {
    tap(100, 100, 0, 1);
    tap(101, 100, 200, 2);
    expect(acts.map(({ action }) => action.type)).toEqual(["tap", "tap"]);
  });

  test("are one double tap where that is wanted, on the frame of the first", () => {
    joins = true;
    tap(100, 100, 0, 1);
    tap(101, 100, 200, 2);
    vi.runAllTimers();
    expect(acts).toEqual([{ action: { type: "double_tap", at: { x: 0.5, y: 0.5 } }, frame: 1 }]);
  });

  test("far apart are two taps all the same, in their order", () => {
    joins = true;
    tap(100, 100, 0, 1);
    tap(100, 20, 200, 2);
    vi.runAllTimers();
    expect(acts.map(({ frame }) => frame)).toEqual([1, 2]);
  });

  test("of which the second is held are a tap and a long press", () => {
    joins = true;
    tap(100, 100, 0, 1);
    strokes.down({ x: 100, y: 100, ms: 200 }, 1);
    strokes.up({ x: 100, y: 100, ms: 900 });
    vi.runAllTimers();
    expect(acts.map(({ action }) => action.type)).toEqual(["tap", "long_press"]);
  });

  test("of which only one came are a tap, a little later", () => {
    joins = true;
    tap(100, 100, 0, 1);
    expect(acts).toEqual([]);
    vi.runAllTimers();
    expect(acts.map(({ action }) => action.type)).toEqual(["tap"]);
  });
});

test("a mouse drags what a finger would swipe", () => {
  mouse = true;
  strokes.down({ x: 100, y: 100, ms: 0 }, 1);
  strokes.move({ x: 120, y: 100, ms: 50 });
  strokes.up({ x: 150, y: 100, ms: 90 });
  expect(acts[0]?.action).toEqual({ type: "drag", start: { x: 0.5, y: 0.5 }, end: { x: 1, y: 0.5 }, duration_s: 0.09 });
});

test("the other buttons of a mouse click once each, however the hand trembles, and join no tap", () => {
  [mouse, joins] = [true, true];
  for (const button of ["right", "middle"] as const) {
    strokes.down({ x: 100, y: 100, ms: 0 }, 1, button);
    strokes.move({ x: 120, y: 100, ms: 50 });
    strokes.up({ x: 120, y: 100, ms: 90 });
  }
  expect(acts.map(({ action }) => action)).toEqual([
    { type: "tap", at: { x: 0.5, y: 0.5 }, button: "right" },
    { type: "tap", at: { x: 0.5, y: 0.5 }, button: "middle" },
  ]);
});

test("keys that are down as a button goes down are held, and only then named", () => {
  mouse = true;
  strokes.down({ x: 100, y: 100, ms: 0 }, 1, "left", ["control"]);
  strokes.up({ x: 100, y: 100, ms: 40 });
  expect(acts[0]?.action).toEqual({ type: "tap", at: { x: 0.5, y: 0.5 }, button: "left", held: ["control"] });
});

test("a mouse's drag keeps the bends of its way, its button and its keys", () => {
  mouse = true;
  strokes.down({ x: 70, y: 20, ms: 0 }, 1, "right", ["shift"]);
  for (let x = 71; x <= 130; x++) strokes.move({ x, y: 20, ms: x });
  for (let y = 21; y <= 160; y++) strokes.move({ x: 130, y, ms: 100 + y });
  strokes.up({ x: 130, y: 160, ms: 300 });
  expect(acts[0]?.action).toEqual({
    type: "drag", start: { x: 0.2, y: 0.1 }, end: { x: 0.8, y: 0.8 }, duration_s: 0.3, path: [{ x: 0.8, y: 0.1 }], button: "right", held: ["shift"],
  });
});

test("another button that trembles clicks", () => {
  mouse = true;
  strokes.down({ x: 100, y: 100, ms: 0 }, 1, "back");
  strokes.move({ x: 112, y: 100, ms: 20 });
  strokes.up({ x: 112, y: 100, ms: 60 });
  expect(acts[0]?.action).toEqual({ type: "tap", at: { x: 0.5, y: 0.5 }, button: "back" });
});
