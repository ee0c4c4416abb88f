// The state of a recording's review, as a tag.

import type { JSX } from "preact";

import type { RecordingReview } from "../generated/api";
import { t } from "../i18n";

const COLORS = { open: "", accept: "good", reject: "bad", again: "warn", withdraw: "", comment: "" } as const;

export function RecordingState({ state }: { readonly state: string }): JSX.Element {
  return <span class={`tag ${isState(state) ? COLORS[state] : ""}`}>{recordingStateName(state)}</span>;
}

export function recordingStateName(state: string): string {
  return t(`recording.state.${isState(state) ? state : "open"}`);
}

function isState(text: string): text is RecordingReview["state"] | "open" {
  return text in COLORS;
}
