// How far the review of a queue is, in a bar and in words.

import type { JSX } from "preact";

import type { ReviewCounts } from "../generated/api";
import { t } from "../i18n";

export function ProgressBar({ of: { total, open, accept, edit, reject, invalid } }: { readonly of: ReviewCounts }): JSX.Element {
  return (
    <div class="progress">
      <progress value={total - open} max={Math.max(total, 1)} aria-label={t("review.progress")} />
      <span role="status">{t("review.counts", { done: total - open, total, accept, edit, reject, invalid })}</span>
    </div>
  );
}
