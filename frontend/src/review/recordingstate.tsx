// The state of a recording's review, as a tag.

import type { JSX } from "preact";

import type { RecordingReview } from "../generated/api";
import { t } from "../i18n";

const COLORS = { open: "", accept: "good", reject: "bad", again: "warn", withdraw: "", comment: "" } as const;

export function RecordingState({ state }: { readonly state: string }): JSX.Element {
  const known = isState(state) ? state : "open";
  return <span class={`tag ${COLORS[known]}`}>{t(`recording.state.${known}`)}</span>;
}

function isState(text: string): text is RecordingReview["state"] | "open" {
  return text in COLORS;
}
