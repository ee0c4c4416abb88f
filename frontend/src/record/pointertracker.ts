// Turns pointer events into strokes and actions: each move is sent as it happens, and when the finger
// is lifted, the recognized gesture as an action.

import { clamp, fractionAt, inside, type Point, type Rect, type Size } from "../components/geometry";
import { continuesTap, DOUBLE_TAP_MS, recognizeGesture, type Gesture, type Sample } from "./gestures";
import { holding, thinWay, type MouseButton } from "./mouse";
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
  /** The keys that were down as it began. */
  readonly held: readonly string[];
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
  /** The keys that were down. */
  readonly keys: string;
}

/** A hand trembles more on the other buttons: within this, in CSS pixels, they click. */
const OTHER_SLOP_PX = 24;

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

export class PointerTracker {
  private counted = Math.floor(Math.random() * 2 ** 30); // strokes of a page before a reload keep their numbers
  private current: Stroke | null = null;
  private held: HeldTap | null = null;

  constructor(private readonly host: PointerHost) {}

  /** The finger or a button goes down while `frame` is seen; false where that is beside the screen. */
  down(sample: Sample, frame: number, button: MouseButton = "left", held: readonly string[] = []): boolean {
    if (this.current || !inside(this.fraction(sample))) return false;
    const before = this.held;
    const after = before && button === "left" && before.keys === held.join() && continuesTap(before, sample) ? before : null;
    if (before) {
      clearTimeout(before.timer);
      this.held = null;
      if (!after) before.send();
    }
    this.current = { id: ++this.counted, frame: after?.frame ?? frame, button, held, samples: [], places: [], after };
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

  /** A mouse drags whatever it moves; its other buttons click unless they move far. */
  private recognize(stroke: Stroke): Gesture | null {
    const gesture = recognizeGesture(stroke.samples);
    const [down] = stroke.samples;
    const moved = down && stroke.samples.some(({ x, y }) => Math.hypot(x - down.x, y - down.y) > OTHER_SLOP_PX);
    if (stroke.button !== "left" && down && !moved) return gesture?.kind === "long_press" ? gesture : { kind: "tap", at: down };
    return gesture?.kind === "swipe" && this.host.usesMouse() ? { ...gesture, kind: "drag" } : gesture;
  }

  private finish(stroke: Stroke, gesture: Gesture, up: Sample): void {
    const joins = gesture.kind === "tap" && stroke.after !== null;
    const recognized: Gesture = joins && stroke.after ? { kind: "double_tap", at: { x: stroke.after.x, y: stroke.after.y } } : gesture;
    if (!joins) stroke.after?.send();
    this.host.draw(stroke.places, recognized);
    const action = this.actionOf(recognized, stroke);
    const send = (): void => this.host.act(action, stroke.frame, stroke.id);
    if (recognized.kind !== "tap" || stroke.button !== "left" || !this.host.joinsTaps()) {
      send();
      return;
    }
    const timer = setTimeout(() => {
      this.held = null;
      send();
    }, DOUBLE_TAP_MS);
    this.held = { ...recognized.at, upMs: up.ms, send, frame: stroke.frame, keys: stroke.held.join(), timer };
  }

  private actionOf(gesture: Gesture, stroke: Stroke): UserAction {
    const place = (point: Point): Point => this.place(point);
    const other = stroke.button === "left" ? {} : { button: stroke.button };
    const held = holding(stroke.held);
    switch (gesture.kind) {
      case "tap":
        return { type: "tap", at: place(gesture.at), button: stroke.button, ...held };
      case "double_tap":
        return { type: "double_tap", at: place(gesture.at), ...other, ...held };
      case "long_press":
        return { type: "long_press", at: place(gesture.at), duration_s: rounded(gesture.durationMs / 1000, 3), ...other, ...held };
      case "swipe":
        return { type: "swipe", start: place(gesture.start), end: place(gesture.end), duration_s: rounded(gesture.durationMs / 1000, 3) };
      case "drag": {
        const way = this.host.usesMouse() ? thinWay(stroke.places) : [];
        return {
          type: "drag",
          start: place(gesture.start),
          end: place(gesture.end),
          duration_s: rounded(gesture.durationMs / 1000, 3),
          ...(way.length > 0 ? { path: way } : {}),
          ...other,
          ...held,
        };
      }
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
