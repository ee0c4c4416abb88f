// Marks of the gesture over the live screen: its path, and the recognized action, or a cross where it was refused.

import type { JSX } from "preact";

import type { Point, Size } from "../components/geometry";
import type { Gesture } from "./gestures";

export function Path({ path, size, done }: { readonly path: readonly Point[]; readonly size: Size; readonly done: boolean }): JSX.Element | null {
  const first = path[0];
  if (!first || done) return null;
  const points = path.map(({ x, y }) => `${x * size.width},${y * size.height}`).join(" ");
  return (
    <g class="stroke">
      <polyline points={points} />
      <circle class="down" cx={first.x * size.width} cy={first.y * size.height} r={size.width / 36} />
    </g>
  );
}

/** A tap is a ring, two a double ring, a long press a filled one; ways have both their ends drawn. */
export function GestureMark({
  kind,
  path,
  size,
}: {
  readonly kind: Gesture["kind"];
  readonly path: readonly Point[];
  readonly size: Size;
}): JSX.Element | null {
  const start = path[0];
  const end = path.at(-1);
  if (!start || !end) return null;
  const unit = size.width / 36;
  const [x, y] = [start.x * size.width, start.y * size.height];
  const [endX, endY] = [end.x * size.width, end.y * size.height];
  if (kind === "swipe" || kind === "drag") {
    const angle = Math.atan2(endY - y, endX - x);
    const wing = (turn: number): string => `${endX - 1.6 * unit * Math.cos(angle + turn)},${endY - 1.6 * unit * Math.sin(angle + turn)}`;
    return (
      <g class={`gesture ${kind}`}>
        <circle class="down" cx={x} cy={y} r={unit} />
        <line x1={x} y1={y} x2={endX} y2={endY} />
        <polyline points={`${wing(0.5)} ${endX},${endY} ${wing(-0.5)}`} />
      </g>
    );
  }
  return (
    <g class={`gesture ${kind}`}>
      <circle cx={x} cy={y} r={unit} />
      {kind !== "tap" && <circle cx={x} cy={y} r={unit * 1.7} />}
    </g>
  );
}

/** A cross where something was done that the device did not take. */
export function RefusedMark({ at: { x, y }, size }: { readonly at: Point; readonly size: Size }): JSX.Element {
  const [left, top, unit] = [x * size.width, y * size.height, size.width / 36];
  return (
    <g class="gesture refused">
      <path d={`M${left - unit} ${top - unit} l${2 * unit} ${2 * unit} m0 ${-2 * unit} l${-2 * unit} ${2 * unit}`} />
    </g>
  );
}
