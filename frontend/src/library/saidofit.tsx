// What reviewers said of a recording, for who recorded it, too: the state that holds, reasons and comments.

import type { JSX } from "preact";

import type { EpisodeView } from "../generated/api";
import { t } from "../i18n";
import { formatTime } from "./format";
import { RecordingState } from "./recordingstate";

export function SaidOfIt({ of: { review, reviews } }: { readonly of: EpisodeView }): JSX.Element | null {
  if (reviews.length === 0) return null;
  return (
    <section class="panel said" aria-label={t("recording.review")}>
      <h2>{t("recording.review")} <RecordingState state={review} /></h2>
      <ul>
        {reviews.map((line, index) => (
          <li key={index}>
            <RecordingState state={line.state} /> {line.rating ? <span class="tag">{t("rating.given", { rating: line.rating })}</span> : null} {line.text && <span class="prose">{line.text}</span>}
            <small class="quiet">{[line.who, formatTime(line.time)].filter((one) => one !== "").join(" · ")}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
