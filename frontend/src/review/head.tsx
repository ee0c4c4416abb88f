// The head of the review pages: their title, and what is reviewed, the steps' annotations or whole recordings.

import type { JSX } from "preact";

import { t } from "../i18n";
import { href } from "../router";

export function ReviewHead({ open }: { readonly open: "steps" | "recordings" }): JSX.Element {
  return (
    <header class="review-head">
      <h1>{t(open === "steps" ? "review.title" : "recordings.title")}</h1>
      <nav class="review-tabs" aria-label={t("review.tabs")}>
        <a href={href(["review"])} aria-current={open === "steps" ? "page" : undefined}>{t("review.tabs.steps")}</a>
        <a href={href(["review", "recordings"])} aria-current={open === "recordings" ? "page" : undefined}>{t("review.tabs.recordings")}</a>
      </nav>
    </header>
  );
}
