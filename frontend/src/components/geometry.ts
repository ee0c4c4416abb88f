// Converts between pointer positions and fractions of a screen that is fitted into an element. Both
// are in CSS pixels, so zoom and device pixel ratio cancel out; geometry.py defines fractions.

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Left, top, right, bottom of a box in fractions of the screen. */
export type Edges = readonly [left: number, top: number, right: number, bottom: number];

/** Two numbers: x and y, or the bounds of an interval. */
export type Pair = readonly [first: number, second: number];

export interface Rect extends Size {
  readonly left: number;
  readonly top: number;
}

/** The part of `outer` that `size` fills when it is fitted in, centred, with its shape kept. */
export function fitRect(outer: Rect, size: Size): Rect {
  const scale = Math.min(outer.width / size.width, outer.height / size.height);
  const width = size.width * scale;
  const height = size.height * scale;
  return { left: outer.left + (outer.width - width) / 2, top: outer.top + (outer.height - height) / 2, width, height };
}

/** The fraction of the screen under a pointer; outside [0, 1] beyond its edges. */
export function fractionAt(pointer: Point, outer: Rect, size: Size): Point {
  const inner = fitRect(outer, size);
  return { x: (pointer.x - inner.left) / inner.width, y: (pointer.y - inner.top) / inner.height };
}

/** Where a fraction of the screen is painted, in CSS pixels. */
export function pointerAt(fraction: Point, outer: Rect, size: Size): Point {
  const inner = fitRect(outer, size);
  return { x: inner.left + fraction.x * inner.width, y: inner.top + fraction.y * inner.height };
}

export function inside({ x, y }: Point): boolean {
  return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

/** The nearest place on the screen. */
export function clamp({ x, y }: Point): Point {
  return { x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)) };
}

/** The device's pixel that holds a fraction, by the rule of geometry.py. */
export function pixelOf({ x, y }: Point, { width, height }: Size): Point {
  return { x: Math.min(Math.floor(x * width), width - 1), y: Math.min(Math.floor(y * height), height - 1) };
}
