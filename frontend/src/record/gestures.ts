// Recognizes a gesture by the path of a stroke, in CSS pixels and milliseconds.

import type { Point } from "../components/geometry";

/** One moment of a stroke; the first is the finger going down, the last its going up. */
export interface Sample extends Point {
  readonly ms: number;
}

export type Gesture =
  | { readonly kind: "tap" | "double_tap"; readonly at: Point }
  | { readonly kind: "long_press"; readonly at: Point; readonly durationMs: number }
  | { readonly kind: "swipe" | "drag"; readonly start: Point; readonly end: Point; readonly durationMs: number };

/** A finger that stays within this distance, in CSS pixels, does not move: hands tremble. */
export const SLOP_PX = 8;
/** Held still this long, in milliseconds, a finger presses long, or grabs what it then moves. */
export const HOLD_MS = 500;
/** The second of two taps goes down at most this long after the first went up. */
export const DOUBLE_TAP_MS = 300;
/** How far apart two taps may be to count as one double tap, in CSS pixels. */
const DOUBLE_TAP_PX = 24;

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/**
 * What a whole stroke is. However quick, a finger that moved swipes; however long, one that stayed
 * put does not; one that was held before it moved drags.
 */
export function recognizeGesture(path: readonly Sample[]): Gesture | null {
  const down = path[0];
  const up = path.at(-1);
  if (!down || !up) return null;
  const durationMs = up.ms - down.ms;
  const left = path.find((sample) => distance(sample, down) > SLOP_PX);
  if (!left) return durationMs >= HOLD_MS ? { kind: "long_press", at: down, durationMs } : { kind: "tap", at: down };
  return { kind: left.ms - down.ms >= HOLD_MS ? "drag" : "swipe", start: down, end: up, durationMs };
}

/** Whether a finger that goes down here, now, may be making the second half of a double tap. */
export function continuesTap(tap: Point & { readonly upMs: number }, down: Sample): boolean {
  return down.ms - tap.upMs <= DOUBLE_TAP_MS && distance(tap, down) <= DOUBLE_TAP_PX;
}

/** The swipe that shows as much as turning a wheel by (dx, dy) screens does, from a place on. */
export function wheelSwipe(at: Point, dx: number, dy: number): { start: Point; end: Point } {
  const [startX, endX] = moved(at.x, -dx);
  const [startY, endY] = moved(at.y, -dy);
  return { start: { x: startX, y: startY }, end: { x: endX, y: endY } };
}

const EDGE = 0.1; // nearer to an edge, phones take a swipe for one of their own

/** From where to where along one axis: shifted inward where the way would leave the screen. */
function moved(from: number, by: number): [number, number] {
  if (by === 0) return [from, from];
  const way = Math.max(-(1 - 2 * EDGE), Math.min(1 - 2 * EDGE, by));
  const start = Math.min(Math.max(from, EDGE, EDGE - way), 1 - EDGE, 1 - EDGE - way);
  return [start, start + way];
}
