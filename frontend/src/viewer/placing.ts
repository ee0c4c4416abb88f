// Sets the places of an action by pointing: which of its places a pointer moves, and where to.

import { clamp, type Edges, type Point, type Size } from "../components/geometry";
import type { Action } from "../generated/api";

export type Handle = "at" | "start" | "end";

/** The places that an action has, in their order. */
export function handles(action: Action): readonly Handle[] {
  return "at" in action ? ["at"] : "start" in action ? ["start", "end"] : [];
}

export function placeOf(action: Action, handle: Handle): Point | undefined {
  return (action as unknown as Partial<Record<Handle, Point>>)[handle];
}

/** The action with one of its places elsewhere, on the screen. */
export function movedTo(action: Action, handle: Handle, to: Point): Action {
  return placeOf(action, handle) === undefined ? action : { ...action, [handle]: clamp(to) };
}

/** The place that a press moves: the nearest one within `reach` pixels, else the last. */
export function grasped(action: Action, press: Point, size: Size, reach: number): Handle | undefined {
  const near = handles(action).filter((handle) => distance(placeOf(action, handle), press, size) <= reach);
  return near.sort((one, other) => distance(placeOf(action, one), press, size) - distance(placeOf(action, other), press, size))[0] ?? handles(action).at(-1);
}

/** Moves by whole pixels of the device, as the arrow keys do. */
export function nudged(action: Action, handle: Handle, dx: number, dy: number, size: Size): Action {
  const from = placeOf(action, handle);
  return from ? movedTo(action, handle, { x: from.x + dx / size.width, y: from.y + dy / size.height }) : action;
}

export function centre([left, top, right, bottom]: Edges): Point {
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

/** The index of the smallest box that holds a place; of equal ones the last, which is painted on top. */
export function smallestAt(boxes: readonly Edges[], { x, y }: Point): number | undefined {
  let found: number | undefined;
  let area = Number.POSITIVE_INFINITY;
  for (const [index, [left, top, right, bottom]] of boxes.entries()) {
    if (x < left || x > right || y < top || y > bottom) continue;
    const own = (right - left) * (bottom - top);
    if (own <= area) [found, area] = [index, own];
  }
  return found;
}

function distance(place: Point | undefined, press: Point, { width, height }: Size): number {
  return place ? Math.hypot((place.x - press.x) * width, (place.y - press.y) * height) : Number.POSITIVE_INFINITY;
}
