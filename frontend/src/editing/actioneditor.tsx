// An action to be set by pointing: places by click, drag or the arrow keys on the picture, or an element's
// middle; all else in the fields beside it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { useData } from "../components/data";
import { fractionAt, type Point } from "../components/geometry";
import { Screen } from "../components/screen";
import type { Action, EpisodeStepView, TreeView } from "../generated/api";
import { t } from "../i18n";
import { ActionFields } from "./actionfields";
import { frameUrl } from "../library/imageurls";
import { ActionMarks, BoxMark } from "../library/marks";
import { centre, grasped, handles, movedTo, nudged, placeOf, smallestAt, type Handle } from "../viewer/placing";

const MARKS = new Set(["point", "arrow"] as const);
const REACH_PX = 28;
const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 }, ArrowRight: { x: 1, y: 0 }, ArrowUp: { x: 0, y: -1 }, ArrowDown: { x: 0, y: 1 },
};

export function ActionEditor({ episode, step, action: first, onAction }: {
  readonly episode: string;
  readonly step: EpisodeStepView;
  readonly action: Action;
  readonly onAction: (action: Action) => void;
}): JSX.Element {
  const [action, setAction] = useState(first);
  const tree = useData(() => (step.before.tree ? get("api/tree", { episode, step: step.index }) : Promise.resolve(undefined)), [episode, step.index]);
  const take = (next: Action): void => {
    setAction(next);
    onAction(next);
  };
  return (
    <div class="action-editor">
      <PlaceSetter episode={episode} step={step} action={action} tree={tree.value} onAction={take} />
      <div>
        <ActionFields action={action} onAction={take} />
      </div>
    </div>
  );
}

function PlaceSetter({ episode, step, action, tree, onAction }: {
  readonly episode: string;
  readonly step: EpisodeStepView;
  readonly action: Action;
  readonly tree: TreeView | undefined;
  readonly onAction: (action: Action) => void;
}): JSX.Element {
  const { before } = step;
  const [held, setHeld] = useState<Handle | undefined>(undefined);
  const [last, setLast] = useState<Handle | undefined>(undefined);
  const [snaps, setSnaps] = useState(false);
  const [hovered, setHovered] = useState<number | undefined>(undefined);
  const all = handles(action);
  const handle = all.find((one) => one === last) ?? all[0];
  const boxes = tree?.nodes.map(({ box }) => box) ?? [];
  const at = (event: PointerEvent & { readonly currentTarget: HTMLElement }): Point => fractionAt({ x: event.clientX, y: event.clientY }, event.currentTarget.getBoundingClientRect(), before);
  const place = (which: Handle, pointed: Point): void => {
    const box = boxes[(snaps ? smallestAt(boxes, pointed) : undefined) ?? -1];
    onAction(movedTo(action, which, box ? centre(box) : pointed));
  };
  const key = (event: KeyboardEvent): void => {
    const by = ARROWS[event.key];
    if (!by || !handle) return;
    event.preventDefault();
    const far = event.shiftKey ? 10 : 1;
    onAction(nudged(action, handle, by.x * far, by.y * far, before));
  };
  const box = hovered === undefined ? undefined : boxes[hovered];
  const known = handle ? placeOf(action, handle) : undefined;
  return (
    <div class="place-setter">
      <div
        class="shot" tabIndex={0} role="group" aria-label={t("place.picture")}
        style={{ aspectRatio: `${before.width} / ${before.height}`, "--shape": String(before.width / before.height) }}
        onKeyDown={key}
        onPointerDown={(event) => {
          const pointed = at(event);
          const scale = event.currentTarget.clientWidth / before.width || 1;
          const which = grasped(action, pointed, before, REACH_PX / scale);
          if (event.button !== 0 || !which) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setHeld(which);
          setLast(which);
          place(which, pointed);
        }}
        onPointerMove={(event) => {
          const pointed = at(event);
          if (held) place(held, pointed);
          setHovered(smallestAt(boxes, pointed));
        }}
        onPointerUp={() => setHeld(undefined)}
        onPointerCancel={() => setHeld(undefined)}
        onPointerLeave={() => setHovered(undefined)}
      >
        <Screen
          size={before} src={frameUrl({ id: episode, run: undefined }, before.sha)} label={t("place.picture")}
          marks={<>{box && snaps && <BoxMark name="box" box={box} size={before} />}<ActionMarks action={action} size={before} tree={undefined} shown={MARKS} /></>}
        />
      </div>
      <p class="hint" role="status">
        {known ? t("place.at", { x: Math.round(known.x * before.width - 0.5), y: Math.round(known.y * before.height - 0.5) }) : t("place.none")}
      </p>
      {all.length > 1 && (
        <div class="row">{all.map((one) => <Button key={one} label={t(`field.${one}`)} pressed={one === handle} onPress={() => setLast(one)} />)}</div>
      )}
      {boxes.length > 0 && all.length > 0 && (
        <label class="choice"><input type="checkbox" checked={snaps} onChange={(event) => setSnaps(event.currentTarget.checked)} /> {t("place.snap")}</label>
      )}
    </div>
  );
}
