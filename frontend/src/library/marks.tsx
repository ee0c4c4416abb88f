// Marks over a screen: the place of an action, its target, its path, and the boxes of the view
// hierarchy. Places are in pixels of the device.

import type { JSX } from "preact";

import type { Edges, Pair, Point, Size } from "../components/geometry";
import type { Action, TreeView } from "../generated/api";

export const OVERLAYS = ["point", "box", "arrow", "tree"] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** The overlays that a query names: "point,box"; "none" is none; without a word the first three. */
export function parseOverlays(query: URLSearchParams): ReadonlySet<Overlay> {
  const text = query.get("overlay");
  if (text === null) return new Set<Overlay>(["point", "box", "arrow"]);
  const named = text.split(",");
  return new Set(OVERLAYS.filter((one) => named.includes(one)));
}

/** The query value for these overlays; undefined for the default. */
export function formatOverlays(shown: ReadonlySet<Overlay>): string | undefined {
  const words = OVERLAYS.filter((one) => shown.has(one));
  const text = words.join(",") || "none";
  return text === "point,box,arrow" ? undefined : text;
}

export function ActionMarks({ action, more = [], size, tree, shown }: {
  readonly action: Action;
  readonly more?: readonly Action[];
  readonly size: Size;
  readonly tree: TreeView | undefined;
  readonly shown: ReadonlySet<Overlay>;
}): JSX.Element {
  const target = tree?.target === null || tree === undefined ? undefined : tree.nodes[tree.target];
  const all = [action, ...more];
  return (
    <>
      {shown.has("tree") && tree?.nodes.map((node, index) => <BoxMark key={index} name="tree" box={node.box} size={size} />)}
      {shown.has("box") && target && <BoxMark name="box" box={target.box} size={size} />}
      {all.map((one, index) => <PlaceMarks key={index} action={one} number={more.length > 0 ? index + 1 : undefined} size={size} shown={shown} />)}
    </>
  );
}

/** Where one action is; of several it has its number, and below it stand the keys that are held. */
function PlaceMarks({ action, number, size, shown }: {
  readonly action: Action;
  readonly number: number | undefined;
  readonly size: Size;
  readonly shown: ReadonlySet<Overlay>;
}): JSX.Element {
  const line = "start" in action ? action : undefined;
  const way = line && [line.start, ...(line.type === "drag" ? (line.path ?? []) : []), line.end];
  const at = "at" in action ? action.at : line?.start;
  const held = ("held" in action && action.held) || [];
  return (
    <>
      {shown.has("arrow") && way && <ArrowMark way={way} size={size} />}
      {shown.has("point") && at && <PointMark name="point" at={at} size={size} middle={MIDDLES[action.type]} />}
      {shown.has("point") && at && number !== undefined && <NumberMark number={number} at={at} size={size} />}
      {shown.has("point") && at && held.length > 0 && <HeldMark keys={held} at={at} size={size} />}
    </>
  );
}

type Middle = "cross" | "disc" | "none";

/** What stands in the ring of a button that goes down, and of one that goes up. */
const MIDDLES: Partial<Record<Action["type"], Middle>> = { button_down: "disc", button_up: "none" };

function HeldMark({ keys, at, size }: { readonly keys: readonly string[]; readonly at: Point; readonly size: Size }): JSX.Element {
  const unit = Math.min(size.width, size.height) / 40;
  const y = at.y * size.height + 2.6 * unit;
  return (
    <g class="mark held" data-mark="held">
      <text x={at.x * size.width} y={y > size.height - unit ? y - 6.4 * unit : y} font-size={unit * 1.4} text-anchor="middle" dominant-baseline="central">{keys.join("+")}</text>
    </g>
  );
}

function NumberMark({ number, at, size }: { readonly number: number; readonly at: Point; readonly size: Size }): JSX.Element {
  const radius = Math.min(size.width, size.height) / 40;
  const x = Math.min(at.x * size.width + 2 * radius, size.width - radius);
  const y = Math.max(at.y * size.height - 2 * radius, radius);
  return (
    <g class="mark number" data-mark="number">
      <circle class="rim" cx={x} cy={y} r={radius} />
      <text x={x} y={y} font-size={radius * 1.4} text-anchor="middle" dominant-baseline="central">{number}</text>
    </g>
  );
}

export function BoxMark({ name, box: [left, top, right, bottom], size }: {
  readonly name: string;
  readonly box: Edges;
  readonly size: Size;
}): JSX.Element {
  const { width, height } = size;
  return (
    <rect class={`mark ${name}`} data-mark={name} x={left * width} y={top * height} width={(right - left) * width} height={(bottom - top) * height} />
  );
}

export function OutlineMark({ corners, size }: { readonly corners: readonly Pair[]; readonly size: Size }): JSX.Element {
  const at = corners.map(([x, y]) => `${x * size.width},${y * size.height}`);
  return <polygon class="mark truth" data-mark="truth" points={at.join(" ")} />;
}

/** Crosshairs in a ring, centred on the place; `name` gives the colour. */
export function PointMark({ name, at, size, middle = "cross" }: {
  readonly name: string;
  readonly at: Point;
  readonly size: Size;
  readonly middle?: Middle | undefined;
}): JSX.Element {
  const x = at.x * size.width;
  const y = at.y * size.height;
  const radius = Math.min(size.width, size.height) / 26;
  return (
    <g class={`mark ${name}`} data-mark={name}>
      <circle class="rim" cx={x} cy={y} r={radius} />
      <circle cx={x} cy={y} r={radius} />
      {middle === "cross" && <path d={`M${x - radius / 2} ${y}h${radius}M${x} ${y - radius / 2}v${radius}`} />}
      {middle === "disc" && <circle class="down" cx={x} cy={y} r={radius / 2} />}
    </g>
  );
}

/** Straight from each place to the next, with its head at the last. */
function ArrowMark({ way, size }: { readonly way: readonly Point[]; readonly size: Size }): JSX.Element {
  const places = way.map((one): Pair => [one.x * size.width, one.y * size.height]);
  const [[x1, y1], [x2, y2]] = [places.at(-2) ?? [0, 0], places.at(-1) ?? [0, 0]];
  const long = Math.hypot(x2 - x1, y2 - y1) || 1;
  const head = Math.min(size.width, size.height) / 22;
  const [ux, uy] = [((x2 - x1) / long) * head, ((y2 - y1) / long) * head];
  const wing = (turn: number): string => `M${x2} ${y2}L${x2 - ux + turn * uy * 0.6} ${y2 - uy - turn * ux * 0.6}`;
  return (
    <g class="mark arrow" data-mark="arrow">
      <polyline class="rim" points={places.join(" ")} />
      <polyline points={places.join(" ")} />
      <path d={wing(1) + wing(-1)} />
    </g>
  );
}
