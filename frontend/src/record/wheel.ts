// The wheel over the live screen.

import { inside, type Point } from "../components/geometry";
import { wheelSwipe } from "./gestures";
import { heldKeys, wheelScroll } from "./mouse";
import type { UserAction } from "./protocol";
import type { Session } from "./session";
import type { LiveStream } from "./stream";

const WHEEL_REST_MS = 160;
const WHEEL_SWIPE_S = 0.3;
const WHEEL_LINE_PX = 40;

export interface WheelHost {
  readonly session: Pick<Session, "live" | "act">;
  readonly stream: Pick<LiveStream, "painted">;
  readonly fraction: (event: MouseEvent) => Point;
  /** Called with where the wheel was turned while the device took nothing. */
  readonly refuse: (at: Point) => void;
  readonly usesMouse: () => boolean;
}

/** Turns of the wheel become one action once it rests: a scroll, or the swipe that a finger does for it. */
export function listenToWheel(screen: HTMLElement, { session, stream, fraction, refuse, usesMouse }: WheelHost): () => void {
  let turned = { x: 0, y: 0 };
  /** `frame` is what was seen, null where the device took nothing then. */
  let wheelStart: { at: Point; frame: number | null; held: readonly string[] } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const rest = (): void => {
    if (!wheelStart) return;
    const { at, frame, held } = wheelStart;
    const { height, width } = screen.getBoundingClientRect();
    const [dx, dy] = [turned.x / width, turned.y / height];
    wheelStart = null;
    turned = { x: 0, y: 0 };
    if (frame === null || !session.live.value) {
      refuse(at);
      return;
    }
    const action: UserAction = usesMouse() ? wheelScroll(at, dx, dy, held) : { type: "swipe", ...wheelSwipe(at, dx, dy), duration_s: WHEEL_SWIPE_S };
    session.act(action, frame);
  };
  const turn = (event: WheelEvent): void => {
    if (event.ctrlKey && !usesMouse()) return; // the browser zooms
    event.preventDefault();
    const at = fraction(event);
    if (!inside(at)) return;
    wheelStart ??= { at, frame: session.live.value ? stream.painted.value : null, held: usesMouse() ? heldKeys(event) : [] };
    const [across, along] = turnOf(event);
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE_PX : 1;
    turned = { x: turned.x + across * unit, y: turned.y + along * unit };
    clearTimeout(timer);
    timer = setTimeout(rest, WHEEL_REST_MS);
  };
  screen.addEventListener("wheel", turn, { passive: false });
  return () => {
    clearTimeout(timer);
    screen.removeEventListener("wheel", turn);
  };
}

/** What was turned, which browsers tell as sideways while shift is down. */
function turnOf({ shiftKey, deltaX, deltaY }: WheelEvent): [number, number] {
  return shiftKey && deltaY === 0 ? [0, deltaX] : [deltaX, deltaY];
}
