import { describe, expect, test } from "vitest";

import type { Action } from "../src/generated/api";
import { has } from "../src/viewer/inspector";
import { parseView } from "../src/viewer/overlaid";
import { centre, grasped, handles, movedTo, nudged, smallestAt } from "../src/viewer/placing";
import { clock, shownFor, spans, stepAt } from "../src/viewer/timeline";
import { panBy, WHOLE, zoomAt } from "../src/viewer/zoom";

const SIZE = { width: 100, height: 200 };
const TAP: Action = { type: "tap", at: { x: 0.5, y: 0.5 }, button: "left" };
const SWIPE: Action = { type: "swipe", start: { x: 0.5, y: 0.8 }, end: { x: 0.5, y: 0.2 }, duration_s: 0.3 };
const WAIT: Action = { type: "wait", duration_s: 1 };

describe("zoom", () => {
  test("keeps what lies under the pointer, and shows all again at the end", () => {
    const zoomed = zoomAt(WHOLE, 2, { x: 0.75, y: 0.25 });
    expect(zoomed).toEqual({ scale: 2, left: -0.75, top: -0.25 });
    expect((0.75 - zoomed.left) / zoomed.scale).toBe(0.75);
    expect(zoomAt(zoomed, 0.1, { x: 0, y: 1 })).toEqual(WHOLE);
  });

  test("never leaves the frame empty", () => {
    const zoomed = zoomAt(WHOLE, 2, { x: 0.5, y: 0.5 });
    expect(panBy(zoomed, 5, -5)).toEqual({ scale: 2, left: 0, top: -1 });
    expect(panBy(WHOLE, 0.3, -0.3)).toEqual(WHOLE);
  });
});

describe("a place set by pointing", () => {
  test("belongs to the action: a tap has one, a swipe two, a pause none", () => {
    expect([TAP, SWIPE, WAIT].map(handles)).toEqual([["at"], ["start", "end"], []]);
    expect(movedTo(WAIT, "at", { x: 0, y: 0 })).toBe(WAIT);
  });

  test("is the near one of a swipe, and its end elsewhere", () => {
    expect(grasped(SWIPE, { x: 0.52, y: 0.79 }, SIZE, 10)).toBe("start");
    expect(grasped(SWIPE, { x: 0.5, y: 0.22 }, SIZE, 10)).toBe("end");
    expect(grasped(SWIPE, { x: 0.1, y: 0.5 }, SIZE, 10)).toBe("end");
    expect(grasped(WAIT, { x: 0.1, y: 0.5 }, SIZE, 10)).toBeUndefined();
  });

  test("stays on the screen, and moves by pixels of the device", () => {
    expect(movedTo(TAP, "at", { x: 1.2, y: -0.1 })).toEqual({ ...TAP, at: { x: 1, y: 0 } });
    expect(nudged(TAP, "at", 1, -10, SIZE)).toEqual({ ...TAP, at: { x: 0.51, y: 0.45 } });
  });

  test("picks the smallest element below it, the last of equal ones", () => {
    const boxes = [[0, 0, 1, 1], [0.2, 0.2, 0.6, 0.6], [0.2, 0.2, 0.6, 0.6]] as const;
    expect(smallestAt(boxes, { x: 0.3, y: 0.3 })).toBe(2);
    expect(smallestAt(boxes, { x: 0.9, y: 0.9 })).toBe(0);
    expect(smallestAt([], { x: 0.9, y: 0.9 })).toBeUndefined();
    expect(centre([0, 0.5, 0.5, 1])).toEqual({ x: 0.25, y: 0.75 });
  });
});

describe("the time of an episode", () => {
  const all = spans([2, 3, 15, 14, 16]);

  test("has a span for each step, and tells where nobody acted", () => {
    expect(all.map(({ start, length, idle }) => [start, length, idle])).toEqual([
      [0, 1, false], [1, 12, true], [13, 0, false], [13, 1, false], [14, 0, false],
    ]);
    expect(spans([])).toEqual([]);
  });

  test("is played at a speed, idle time in a second", () => {
    expect(all.map((one) => shownFor(one, 2))).toEqual([0.5, 0.5, 0.2, 0.5, 0.2]);
  });

  test("finds the step whose screen stood", () => {
    expect([0, 0.9, 1, 12, 20].map((seconds) => stepAt(all, seconds))).toEqual([0, 0, 1, 1, 4]);
    expect(clock(75.9)).toBe("1:15");
  });
});

test("an element is found by all of the words, in any attribute", () => {
  const node = { label: "Wi-Fi", attributes: { class: "android.widget.Switch", checked: "true" } };
  expect(["", "switch wi-fi", "checked"].map((words) => has(node, words))).toEqual([true, true, false]);
});

test("a view that is not known is the usual one", () => {
  expect([parseView("slider"), parseView("other"), parseView(null)]).toEqual(["slider", "beside", "beside"]);
});
