// What became of an episode, as a tag.

import type { JSX } from "preact";

import { t } from "../i18n";
import { formatOutcome, outcomeColor } from "./format";

/** How an episode ended, and whether that is a claim that no check has proved. */
export function Outcome({ of }: { readonly of: { readonly outcome: string; readonly evidence: string } }): JSX.Element {
  return (
    <>
      <span class={`tag ${outcomeColor(of.outcome)}`}>{formatOutcome(of.outcome)}</span>
      {of.evidence === "claimed" && <span class="hint" title={t("evidence.claimed.more")}> {t("evidence.claimed")}</span>}
    </>
  );
}
