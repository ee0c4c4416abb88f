import { expect, test } from "vitest";

import { clamp, fitRect, fractionAt, inside, pixelOf, pointerAt, type Rect, type Size } from "../src/components/geometry";

/** Repeats itself: the same seed gives the same numbers. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const SCREENS: readonly Size[] = [
  { width: 1080, height: 2400 },
  { width: 2400, height: 1080 },
  { width: 540, height: 1200 },
  { width: 1280, height: 720 },
];

test("every pixel of the device is found again where it is painted, in any element, zoom and density", () => {
  const random = numbers(7);
  for (const size of SCREENS)
    for (const zoom of [0.5, 1, 1.1, 1.5, 2])
      for (let turn = 0; turn < 50; turn++) {
        const outer: Rect = { left: random() * 300, top: random() * 300, width: (80 + random() * 900) / zoom, height: (80 + random() * 900) / zoom };
        const pixel = { x: Math.floor(random() * size.width), y: Math.floor(random() * size.height) };
        const painted = pointerAt({ x: (pixel.x + 0.5) / size.width, y: (pixel.y + 0.5) / size.height }, outer, size);
        expect(pixelOf(fractionAt(painted, outer, size), size)).toEqual(pixel);
      }
});

test("a pointer that is rounded to whole pixels of the display is off by what that makes on the device", () => {
  const random = numbers(11);
  for (const size of SCREENS)
    for (const density of [1, 2, 3])
      for (let turn = 0; turn < 50; turn++) {
        const outer: Rect = { left: random() * 10, top: random() * 10, width: size.width / density, height: size.height / density };
        const pixel = { x: Math.floor(random() * size.width), y: Math.floor(random() * size.height) };
        const exact = pointerAt({ x: (pixel.x + 0.5) / size.width, y: (pixel.y + 0.5) / size.height }, outer, size);
        const rounded = { x: Math.round(exact.x * density) / density, y: Math.round(exact.y * density) / density };
        const found = pixelOf(clamp(fractionAt(rounded, outer, size)), size);
        expect(Math.abs(found.x - pixel.x)).toBeLessThanOrEqual(1);
        expect(Math.abs(found.y - pixel.y)).toBeLessThanOrEqual(1);
      }
});

test("a fitRect screen keeps its shape, lies inside and touches two edges", () => {
  const outer = { left: 10, top: 20, width: 300, height: 200 };
  for (const size of SCREENS) {
    const inner = fitRect(outer, size);
    expect(inner.width / inner.height).toBeCloseTo(size.width / size.height);
    expect(Math.min(outer.width - inner.width, outer.height - inner.height)).toBeCloseTo(0);
    expect(inner.left - outer.left).toBeCloseTo((outer.width - inner.width) / 2);
    expect(inner.top - outer.top).toBeCloseTo((outer.height - inner.height) / 2);
  }
});

test("the bars beside a fitRect screen are outside", () => {
  const outer = { left: 0, top: 0, width: 400, height: 400 };
  const size = { width: 100, height: 200 };
  expect(inside(fractionAt({ x: 99, y: 200 }, outer, size))).toBe(false);
  expect(inside(fractionAt({ x: 101, y: 200 }, outer, size))).toBe(true);
  expect(clamp(fractionAt({ x: 50, y: 500 }, outer, size))).toEqual({ x: 0, y: 1 });
});

test("the right and bottom edges belong to the last pixel", () => {
  expect(pixelOf({ x: 1, y: 1 }, { width: 1080, height: 2400 })).toEqual({ x: 1079, y: 2399 });
});
