// What record page and server say to each other: JSON over one socket, pictures over another.
// The server's side is web/recording.

import type { Point } from "../components/geometry";
import type { Action } from "../library/types";

export type Outcome = "success" | "failure" | "infeasible";

/** What a person does here; the same JSON as in actions.py. */
export type Act =
  | { readonly type: "tap"; readonly at: Point; readonly button: "left" }
  | { readonly type: "double_tap"; readonly at: Point }
  | { readonly type: "long_press"; readonly at: Point; readonly duration_s: number }
  | { readonly type: "swipe" | "drag"; readonly start: Point; readonly end: Point; readonly duration_s: number }
  | { readonly type: "type_text" | "answer"; readonly text: string }
  | { readonly type: "press_key"; readonly key: "back" | "home" | "recents" | "rotate" | "enter" }
  | { readonly type: "open_app"; readonly app: string }
  | { readonly type: "wait"; readonly duration_s: number };

export interface StepView {
  readonly index: number;
  readonly action: Action;
  readonly said: string;
  readonly target: string;
  readonly stale: boolean;
  readonly refused: string;
  readonly note: string;
  readonly reward: number;
  readonly instructions: readonly string[];
  readonly frame_sha: string;
  readonly time_s: number;
}

/** What the task's check says so far. `total` is the sum of all rewards. */
export interface JudgeView {
  readonly score: number;
  readonly reward: number;
  readonly total: number;
  readonly success: boolean;
  readonly ended: boolean;
  readonly instructions: readonly string[];
  /** Why the check cannot judge now, or "". */
  readonly wrong: string;
}

/** Whether the goal is reached as far as the check tells; many say `success` only once one has finished. */
export function isReached(judge: JudgeView | null): boolean {
  return judge !== null && !judge.wrong && (judge.success || judge.score >= 1);
}

export interface TaskView {
  readonly id: string;
  readonly instruction: string;
  readonly apps: readonly string[];
}

export interface Snapshot {
  readonly session: string;
  readonly device: string;
  readonly episode: string;
  readonly task: TaskView | null;
  /** In pixels of the device; null until it was seen. */
  readonly size: readonly [width: number, height: number] | null;
  /** What can be opened, where the device tells. */
  readonly apps?: readonly string[];
  readonly steps: readonly StepView[];
  /** How many steps were taken back and can be brought back. */
  readonly undone: number;
  readonly paused: boolean;
  readonly takeover: boolean;
  readonly connected: boolean;
  /** What happened to the device, or "". */
  readonly message: string;
  /** Why a step could not be written, or "". */
  readonly disk: string;
  readonly judge: JudgeView | null;
  /** Null until the end. */
  readonly outcome: Outcome | "unknown" | "truncated" | "discarded" | null;
}

export type FromServer =
  | ({ readonly t: "state" } & Snapshot)
  | { readonly t: "saved"; readonly key: string; readonly step: StepView; readonly judge: JudgeView | null }
  | { readonly t: "done"; readonly key: string }
  | { readonly t: "failed"; readonly key: string | null; readonly code: string; readonly message: string; readonly hint: string }
  | { readonly t: "device"; readonly connected: boolean; readonly message: string }
  | ({ readonly t: "judge" } & JudgeView)
  | { readonly t: "disk"; readonly ok: boolean; readonly message: string };

/** What has to arrive exactly once: it is kept until the server has answered for its key. */
export type Lasting = { readonly key: string } & (
  | { readonly t: "act"; readonly frame: number; readonly stroke?: number; readonly action: Act }
  | { readonly t: "undo" | "redo" | "pause" | "resume" | "discard" }
  | { readonly t: "note"; readonly step: number; readonly note: string }
  | { readonly t: "takeover"; readonly on: boolean }
  | { readonly t: "finish"; readonly outcome: Outcome; readonly reason: string }
);

/** The disk took nothing: the same message again, with its key, is then only written, not done again. */
export const DISK_CODE = "TW206";

/** A lasting message before it has its key. */
export type Wish = Lasting extends infer One ? (One extends unknown ? Omit<One, "key"> : never) : never;

export type Passing =
  | { readonly t: "hello" }
  | {
      readonly t: "touch";
      readonly stroke: number;
      readonly phase: "down" | "move" | "up" | "cancel";
      readonly x: number;
      readonly y: number;
      readonly ms: number;
      readonly frame: number;
    };

export type FrameKind = "jpeg" | "png" | "h264";

export interface Frame {
  readonly id: number;
  /** How many acts the device had done when the picture was taken. */
  readonly actsDone: number;
  readonly kind: FrameKind;
  /** Whether it can be shown without the one before. */
  readonly alone: boolean;
  readonly width: number;
  readonly height: number;
  readonly timeMs: number;
  readonly payload: Uint8Array<ArrayBuffer>;
}

const HEADER_BYTES = 22;
const KINDS: Readonly<Record<number, readonly [FrameKind, boolean]>> = {
  1: ["jpeg", true],
  2: ["png", true],
  3: ["h264", true],
  4: ["h264", false],
};

/** A frame out of its bytes, or null where they are none; little-endian, see web/recording. */
export function decodeFrame(bytes: ArrayBuffer): Frame | null {
  if (bytes.byteLength <= HEADER_BYTES) return null;
  const view = new DataView(bytes);
  const kind = KINDS[view.getUint8(8)];
  if (!kind) return null;
  return {
    id: view.getUint32(0, true),
    actsDone: view.getUint32(4, true),
    kind: kind[0],
    alone: kind[1],
    width: view.getUint16(10, true),
    height: view.getUint16(12, true),
    timeMs: view.getFloat64(14, true),
    payload: new Uint8Array(bytes, HEADER_BYTES),
  };
}

/** The codec string of an H.264 key frame in Annex B form, by its sequence parameters; null without. */
export function codecOf(payload: Uint8Array): string | null {
  for (let at = 0; at + 6 < payload.length; at++) {
    const starts = payload[at] === 0 && payload[at + 1] === 0 && payload[at + 2] === 1;
    if (!starts || (payload[at + 3] ?? 0) % 32 !== 7) continue;
    const parts = payload.subarray(at + 4, at + 7);
    return `avc1.${[...parts].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  return null;
}

/** A message of the server's, or null where it is not one of ours. */
export function decodeMessage(text: string): FromServer | null {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return null;
  }
  const known = ["state", "saved", "done", "failed", "device", "judge", "disk"];
  const tag = typeof said === "object" && said !== null && "t" in said ? said.t : undefined;
  return typeof tag === "string" && known.includes(tag) ? (said as FromServer) : null;
}

/** A key that no other message has had. `crypto.randomUUID` is not there on plain-HTTP sites. */
export function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
