import { describe, expect, test } from "vitest";

import { continuesTap, recognizeGesture, wheelSwipe, type Sample } from "../src/record/gestures";

const at = (ms: number, x = 100, y = 200): Sample => ({ x, y, ms });

describe("a stroke", () => {
  test("of 80 ms that goes far is a swipe, not a tap", () => {
    expect(recognizeGesture([at(0), at(40, 100, 150), at(80, 100, 60)])).toEqual({
      kind: "swipe",
      start: at(0),
      end: at(80, 100, 60),
      durationMs: 80,
    });
  });

  test("that trembles by 5 px is a tap where it began", () => {
    expect(recognizeGesture([at(0), at(30, 104, 203), at(90, 97, 196)])).toEqual({ kind: "tap", at: at(0) });
  });

  test("held still for 600 ms is a long press, trembling or not", () => {
    expect(recognizeGesture([at(0), at(600)])).toEqual({ kind: "long_press", at: at(0), durationMs: 600 });
    expect(recognizeGesture([at(0), at(300, 104, 197), at(600)])?.kind).toBe("long_press");
  });

  test("held for 499 ms is a tap", () => {
    expect(recognizeGesture([at(0), at(499)])?.kind).toBe("tap");
  });

  test("that is slow but moves at once is a swipe", () => {
    expect(recognizeGesture([at(0), at(100, 100, 180), at(1500, 100, 20)])?.kind).toBe("swipe");
  });

  test("held and then moved is a drag", () => {
    expect(recognizeGesture([at(0), at(300, 102, 200), at(620, 130, 200), at(900, 300, 200)])).toEqual({
      kind: "drag",
      start: at(0),
      end: at(900, 300, 200),
      durationMs: 900,
    });
  });

  test("that comes back to where it began has still moved", () => {
    expect(recognizeGesture([at(0), at(100, 180, 200), at(200)])?.kind).toBe("swipe");
  });

  test("of nothing is nothing", () => {
    expect(recognizeGesture([])).toBeNull();
  });
});

test("a second tap counts within 300 ms and near the first alone", () => {
  const first = { x: 100, y: 200, upMs: 1000 };
  expect(continuesTap(first, at(1300))).toBe(true);
  expect(continuesTap(first, at(1301))).toBe(false);
  expect(continuesTap(first, at(1100, 130, 200))).toBe(false);
});

describe("turning the wheel", () => {
  test("down moves the finger up by as much", () => {
    const { start, end } = wheelSwipe({ x: 0.5, y: 0.6 }, 0, 0.2);
    expect(start).toEqual({ x: 0.5, y: 0.6 });
    expect(end.x).toBe(0.5);
    expect(end.y).toBeCloseTo(0.4);
  });

  test.each([-50, -0.9, -0.3, 0.3, 0.9, 50])("by %d screens stays on the screen and goes the right way", (turns) => {
    for (const y of [0, 0.05, 0.5, 0.95, 1]) {
      const { start, end } = wheelSwipe({ x: 0.5, y }, 0, turns);
      for (const place of [start.y, end.y]) {
        expect(place).toBeGreaterThanOrEqual(0.1 - 1e-9);
        expect(place).toBeLessThanOrEqual(0.9 + 1e-9);
      }
      expect(Math.sign(end.y - start.y)).toBe(-Math.sign(turns));
    }
  });
});
