// The details of an annotation: its current review, the codes of its checks, and its provenance.

import type { JSX } from "preact";

import type { ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { Fact } from "../library/facts";
import { formatTime } from "../library/format";
import { TextDiff } from "./textdiff";

export function CurrentReview({ item: { review, reasoning } }: { readonly item: ReviewItem }): JSX.Element | null {
  if (!review || review.state === "withdraw") return null;
  return (
    <>
      <span class={`tag ${review.state === "reject" ? "bad" : "good"}`}>{t(`review.state.${review.state}`)}</span>{" "}
      {review.code && <code>{review.code}</code>}{" "}
      {review.chosen !== null && <span class="tag">{review.chosen === "" ? t("review.decided.third") : t("review.decided", { name: review.chosen })}</span>} <span class="quiet">{review.who} · {formatTime(review.time)}</span>
      {review.reasoning !== null && <TextDiff old={reasoning} next={review.reasoning} />}
    </>
  );
}

export function Codes({ item }: { readonly item: ReviewItem }): JSX.Element | null {
  const kinds = [["bad", item.codes], ["warn", item.warnings], ["", item.repairs]] as const;
  if (kinds.every(([, found]) => found.length === 0)) return null;
  return (
    <ul class="codes">
      {kinds.map(([kind, found]) => found.map(({ code, meaning }) => <li key={code}><span class={`tag ${kind}`}>{code}</span> <span class="quiet" lang="en">{meaning}</span></li>))}
    </ul>
  );
}

export function RawAnswer({ text }: { readonly text: string }): JSX.Element | null {
  if (text === "") return null;
  return (
    <details class="panel">
      <summary>{t("review.raw")}</summary>
      <code class="log raw" tabIndex={0} role="region" aria-label={t("review.raw")}>{text}</code>
    </details>
  );
}

export function Provenance({ item: { provenance: from, log } }: { readonly item: ReviewItem }): JSX.Element {
  return (
    <section class="panel" aria-label={t("provenance.title")}>
      <h2>{t("provenance.title")}</h2>
      <dl class="facts">
        <Fact word="provenance.annotator">{from.annotator} <span class="quiet mono">{from.version}</span></Fact>
        {from.model && <Fact word="provenance.model">{from.model}</Fact>}
        {from.prompt_sha256 && <Fact word="provenance.prompt"><code>{from.prompt_sha256}</code></Fact>}
        {from.tokens !== null && <Fact word="provenance.tokens">{from.tokens}</Fact>}
        <Fact word="provenance.time">{formatTime(from.time)}</Fact>
        {log.length > 0 && (
          <Fact word="provenance.log">
            <ol>{log.map((line, index) => <li key={index}>{t(`review.state.${line.state}`)} <span class="quiet">{line.code} {line.who} · {formatTime(line.time)}</span></li>)}</ol>
          </Fact>
        )}
      </dl>
    </section>
  );
}
