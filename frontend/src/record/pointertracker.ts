// Turns pointer events into strokes and actions: each move is sent as it happens, and when the finger
// is lifted, the recognized gesture as an action.

import { clamp, fractionAt, inside, type Point, type Rect, type Size } from "../components/geometry";
import { continuesTap, DOUBLE_TAP_MS, recognizeGesture, type Gesture, type Sample } from "./gestures";
import type { MouseButton } from "./mouse";
import type { UserAction, Notification } from "./protocol";

export interface PointerHost {
  /** Where the screen's element is now, and the shape of the screen in it. */
  place(): { readonly rect: Rect; readonly size: Size };
  notify(message: Notification): void;
  act(action: UserAction, frame: number, stroke: number): void;
  /** What is to be drawn: the stroke so far, as fractions of the screen. */
  draw(path: readonly Point[], done: Gesture | null): void;
  /** Whether two quick taps are to be one. */
  joinsTaps(): boolean;
  /** Whether what is pressed and moved drags, as with a mouse, and does not swipe. */
  usesMouse(): boolean;
}

interface Stroke {
  readonly id: number;
  readonly frame: number;
  readonly button: MouseButton;
  readonly samples: Sample[];
  readonly places: Point[];
  /** The tap before, if this may be its second half. */
  readonly after: HeldTap | null;
}

interface HeldTap extends Point {
  readonly upMs: number;
  readonly send: () => void;
  readonly timer: ReturnType<typeof setTimeout>;
  readonly frame: number;
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

export class PointerTracker {
  private counted = Math.floor(Math.random() * 2 ** 30); // strokes of a page before a reload keep their numbers
  private current: Stroke | null = null;
  private held: HeldTap | null = null;

  constructor(private readonly host: PointerHost) {}

  /** The finger or a button goes down while `frame` is seen; false where that is beside the screen. */
  down(sample: Sample, frame: number, button: MouseButton = "left"): boolean {
    if (this.current || !inside(this.fraction(sample))) return false;
    const held = this.held;
    const after = held && button === "left" && continuesTap(held, sample) ? held : null;
    if (held) {
      clearTimeout(held.timer);
      this.held = null;
      if (!after) held.send();
    }
    this.current = { id: ++this.counted, frame: after?.frame ?? frame, button, samples: [], places: [], after };
    this.note("down", sample);
    return true;
  }

  move(sample: Sample): void {
    if (this.current) this.note("move", sample);
  }

  up(sample: Sample): void {
    const stroke = this.current;
    if (!stroke) return;
    this.note("up", sample);
    this.current = null;
    const gesture = this.recognize(stroke);
    if (gesture) this.finish(stroke, gesture, sample);
  }

  /** The browser cancels the pointer: there is no action. */
  cancel(): void {
    const stroke = this.current;
    const last = stroke?.samples.at(-1);
    if (!stroke || !last) return;
    this.note("cancel", last);
    this.current = null;
    stroke.after?.send();
    this.host.draw([], null);
  }

  /** A mouse drags whatever it moves, and its other buttons only click: a hand trembles. */
  private recognize(stroke: Stroke): Gesture | null {
    const gesture = recognizeGesture(stroke.samples);
    const [down] = stroke.samples;
    if (stroke.button !== "left" && down) return { kind: "tap", at: down };
    return gesture?.kind === "swipe" && this.host.usesMouse() ? { ...gesture, kind: "drag" } : gesture;
  }

  private finish(stroke: Stroke, gesture: Gesture, up: Sample): void {
    const joins = gesture.kind === "tap" && stroke.after !== null;
    const recognized: Gesture = joins && stroke.after ? { kind: "double_tap", at: { x: stroke.after.x, y: stroke.after.y } } : gesture;
    if (!joins) stroke.after?.send();
    this.host.draw(stroke.places, recognized);
    const action = this.actionOf(recognized, stroke.button);
    const send = (): void => this.host.act(action, stroke.frame, stroke.id);
    if (recognized.kind !== "tap" || stroke.button !== "left" || !this.host.joinsTaps()) {
      send();
      return;
    }
    const timer = setTimeout(() => {
      this.held = null;
      send();
    }, DOUBLE_TAP_MS);
    this.held = { ...recognized.at, upMs: up.ms, send, frame: stroke.frame, timer };
  }

  private actionOf(gesture: Gesture, button: MouseButton): UserAction {
    const place = (point: Point): Point => this.place(point);
    switch (gesture.kind) {
      case "tap":
        return { type: "tap", at: place(gesture.at), button };
      case "double_tap":
        return { type: "double_tap", at: place(gesture.at) };
      case "long_press":
        return { type: "long_press", at: place(gesture.at), duration_s: rounded(gesture.durationMs / 1000, 3) };
      case "swipe":
      case "drag":
        return {
          type: gesture.kind,
          start: place(gesture.start),
          end: place(gesture.end),
          duration_s: rounded(gesture.durationMs / 1000, 3),
        };
    }
  }

  private note(phase: "down" | "move" | "up" | "cancel", sample: Sample): void {
    const stroke = this.current;
    if (!stroke) return;
    const place = this.place(sample);
    stroke.samples.push(sample);
    stroke.places.push(place);
    this.host.notify({ t: "touch", stroke: stroke.id, phase, ...place, ms: rounded(sample.ms, 1), frame: stroke.frame });
    this.host.draw(stroke.places, null);
  }

  private fraction(pointer: Point): Point {
    const { rect, size } = this.host.place();
    return fractionAt(pointer, rect, size);
  }

  /** The place on the screen, at its edge for a pointer beyond it. */
  private place(pointer: Point): Point {
    const { x, y } = clamp(this.fraction(pointer));
    return { x: rounded(x, 6), y: rounded(y, 6) };
  }
}
