// The live screen of the device, controlled with the pointer: draws the gesture, and highlights the
// element under it. What is done while the device takes nothing is crossed out and counted.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

import { fractionAt, inside, type Point, type Rect, type Size } from "../components/geometry";
import { notify } from "../components/notices";
import { Screen } from "../components/screen";
import type { StateMessage } from "../generated/api";
import { t } from "../i18n";
import { roleName, type Elements } from "./elements";
import type { Gesture } from "./gestures";
import { GestureMark, Path, RefusedMark } from "./marks";
import { BUTTONS, heldKeys, usesMouse } from "./mouse";
import type { Session } from "./session";
import type { LiveStream } from "./stream";
import { PointerTracker } from "./pointertracker";
import { listenToWheel } from "./wheel";

interface Drawn {
  /** Counts gestures, so that each is drawn anew. */
  readonly turn: number;
  readonly path: readonly Point[];
  readonly done: Gesture | null;
  /** Where something was done that the device did not take. */
  readonly refused?: Point;
}

/** Who takes what is done on the screen: a recording, or an attempt that a person has taken over. */
export interface Acting extends Pick<Session, "live" | "act" | "notify"> {
  readonly state: ReadonlySignal<Pick<StateMessage, "keys"> | null>;
}

export interface LiveScreenProps {
  readonly session: Acting;
  readonly stream: Pick<LiveStream, "size" | "painted" | "unplayable" | "paintOn">;
  readonly elements: Pick<Elements, "point" | "pointed">;
  readonly device: string;
  /** The size to assume before the first picture. */
  readonly size: Size;
  readonly joinsTaps: boolean;
}

export function LiveScreen({ session, stream, elements, device, size: initialSize, joinsTaps }: LiveScreenProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const joins = useRef(joinsTaps);
  joins.current = joinsTaps;
  const size = stream.size.value ?? initialSize;
  const shape = useRef(size);
  shape.current = size;
  const drawn = useMemo(() => signal<Drawn>({ turn: 0, path: [], done: null }), []);
  const strokes = useMemo(
    () =>
      new PointerTracker({
        place: () => ({ rect: rectOf(canvas.current), size: shape.current }),
        notify: (message) => session.notify(message),
        act: (action, seen, stroke) => session.act(action, seen, stroke),
        draw: (path, done) => (drawn.value = { turn: drawn.peek().turn + 1, path: [...path], done }),
        joinsTaps: () => joins.current,
        usesMouse: () => hasMouse(session),
      }),
    [session, drawn],
  );

  const refuse = useMemo(
    () => (at: Point): void => {
      drawn.value = { turn: drawn.peek().turn + 1, path: [], done: null, refused: at };
      notify("error", t("screen.refused"), t("screen.refused.out"));
    },
    [drawn],
  );

  useEffect(() => {
    stream.paintOn(canvas.current);
    return () => stream.paintOn(null);
  }, [stream]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `fractionOf` reads references alone
  useEffect(() => {
    const screen = frame.current;
    return screen ? listenToWheel(screen, { session, stream, fraction: fractionOf, refuse, usesMouse: () => hasMouse(session) }) : undefined;
  }, [session, stream, refuse]);

  const fractionOf = (event: MouseEvent): Point => fractionAt({ x: event.clientX, y: event.clientY }, rectOf(canvas.current), shape.current);
  const sampleOf = (event: PointerEvent): { x: number; y: number; ms: number } => ({ x: event.clientX, y: event.clientY, ms: event.timeStamp });

  const onPointerDown = (event: PointerEvent): void => {
    const seen = stream.painted.value;
    const button = BUTTONS[event.button];
    if (button === undefined || (button !== "left" && !hasMouse(session))) return;
    if (!event.isPrimary || !inside(fractionOf(event))) return; // beside the picture there is no screen
    if (seen === null || !session.live.value) {
      refuse(fractionOf(event));
      return;
    }
    if (!strokes.down(sampleOf(event), seen, button, hasMouse(session) ? heldKeys(event) : [])) return;
    frame.current?.setPointerCapture(event.pointerId);
    elements.point(null);
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (event.buttons !== 0) strokes.move(sampleOf(event));
    else if (event.pointerType === "mouse") {
      const at = fractionOf(event);
      elements.point(inside(at) ? at : null);
    }
  };
  const onContextMenu = (event: MouseEvent): void => {
    event.preventDefault();
    if (hasMouse(session)) return; // the button that was pressed clicks
    const seen = stream.painted.value;
    const goesBack = session.state.value?.keys.includes("back") ?? false;
    if (event.button !== 2 || !goesBack) return;
    if (seen !== null && session.live.value) session.act({ type: "press_key", key: "back" }, seen);
    else if (inside(fractionOf(event))) refuse(fractionOf(event));
  };

  const pointed = elements.pointed.value;
  return (
    <div
      class={`live${session.live.value ? "" : " resting"}`}
      role="group"
      aria-label={t("screen.label", { device })}
      aria-description={t(hasMouse(session) ? "screen.help.mouse" : "screen.help")}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={(event) => strokes.up(sampleOf(event))}
      onPointerCancel={() => strokes.cancel()}
      onLostPointerCapture={() => strokes.cancel()}
      onPointerLeave={() => elements.point(null)}
      onContextMenu={onContextMenu}
      onMouseDown={(event) => event.button !== 0 && event.preventDefault()} // the page does not scroll by it
      onMouseUp={(event) => event.button > 2 && event.preventDefault()} // nor is it left
    >
      <Screen
        size={size}
        label={t("screen.label", { device })}
        frame={frame}
        marks={
          <>
            {pointed && <Box box={pointed.box} size={size} />}
            <Path path={drawn.value.path} size={size} done={drawn.value.done !== null} />
            {drawn.value.refused && <RefusedMark key={drawn.value.turn} at={drawn.value.refused} size={size} />}
            {drawn.value.done && drawn.value.path.length > 0 && (
              <GestureMark key={drawn.value.turn} kind={drawn.value.done.kind} path={drawn.value.path} size={size} />
            )}
          </>
        }
      >
        <canvas ref={canvas} role="img" aria-label={t("screen.label", { device })} />
        {stream.size.value === null && <p class="waiting" role="status">{t(stream.unplayable.value ? "screen.unplayable" : "screen.waiting", { device })}</p>}
      </Screen>
      <p class="pointed" aria-hidden="true">
        {pointed ? t("screen.element", { role: roleName(pointed.role), label: pointed.label }) : ""}
      </p>
    </div>
  );
}

function hasMouse(session: Acting): boolean {
  return usesMouse(session.state.value?.keys ?? []);
}

function rectOf(element: Element | null): Rect {
  return element?.getBoundingClientRect() ?? { left: 0, top: 0, width: 1, height: 1 };
}

function Box({ box: [left, top, right, bottom], size }: { readonly box: readonly [number, number, number, number]; readonly size: Size }): JSX.Element {
  return (
    <rect
      class="element"
      x={left * size.width}
      y={top * size.height}
      width={(right - left) * size.width}
      height={(bottom - top) * size.height}
    />
  );
}
