// The messages between the record page and the server: JSON over one socket, pictures over another.
// Their types are the server's; see src/tapwright/web/recording.

import type { FrameRequest, JudgeView, Sockets } from "../generated/api";

export type ClientMessage = Sockets["ws/session"]["receives"];
export type ServerMessage = Sockets["ws/session"]["sends"];

/** A message that has to be executed exactly once: it is kept until the server has answered its key. */
export type Command = Extract<ClientMessage, { key: string }>;

/** A command that has no key yet. */
export type NewCommand = Exclude<Command, { t: "restore" }> extends infer One ? (One extends unknown ? Omit<One, "key"> : never) : never;

/** A message that may get lost. */
export type Notification = Exclude<ClientMessage, { key: string }> | FrameRequest;

export type UserAction = Extract<Command, { t: "act" }>["action"];
export type Outcome = Extract<Command, { t: "finish" }>["outcome"];

/** The code of a step that could not be written: the same message again, with its key, only writes it. */
export const DISK_CODE = "TW206";

/** Whether the goal is reached as far as the check can judge; many report `success` only at the end. */
export function isReached(judge: JudgeView | null): boolean {
  return judge !== null && !judge.wrong && (judge.success || judge.score >= 1);
}

const TAGS: Readonly<Record<ServerMessage["t"], true>> = { state: true, saved: true, done: true, failed: true, device: true, tab: true, released: true, judge: true, disk: true };

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
export function readCodec(payload: Uint8Array): string | null {
  for (let at = 0; at + 6 < payload.length; at++) {
    const starts = payload[at] === 0 && payload[at + 1] === 0 && payload[at + 2] === 1;
    if (!starts || (payload[at + 3] ?? 0) % 32 !== 7) continue;
    const parts = payload.subarray(at + 4, at + 7);
    return `avc1.${[...parts].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  }
  return null;
}

/** A message of the server, or null if it is not one. */
export function decodeMessage(text: string): ServerMessage | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  const tag = typeof message === "object" && message !== null && "t" in message ? message.t : undefined;
  return typeof tag === "string" && Object.hasOwn(TAGS, tag) ? (message as ServerMessage) : null;
}

/** A key that no other message has had. `crypto.randomUUID` is not there on plain-HTTP sites. */
export function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
