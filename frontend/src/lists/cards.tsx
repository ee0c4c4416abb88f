// Episodes as cards with their first and last screens.

import type { JSX } from "preact";

import type { EntryView } from "../generated/api";
import { t } from "../i18n";
import { Unfit } from "../library/fit";
import { formatTime } from "../library/format";
import { thumbnailUrl } from "../library/imageurls";
import { Outcome } from "../library/outcome";
import { RecordingState } from "../library/recordingstate";
import { href } from "../router";

export function EpisodeCards({ episodes, run }: { readonly episodes: readonly EntryView[]; readonly run: string | undefined }): JSX.Element {
  return <ul class="wall">{episodes.map((one) => <Card key={one.id} one={one} run={run} />)}</ul>;
}

function Card({ one, run }: { readonly one: EntryView; readonly run: string | undefined }): JSX.Element {
  const episodeRef = { id: one.id, run };
  return (
    <li class="panel card">
      <span class="pair">
        {[one.first, one.last].map((sha, index) => (
          sha === null
            ? <span key={index} class="empty" />
            : <img key={index} src={thumbnailUrl(episodeRef, sha)} alt="" loading="lazy" decoding="async" />
        ))}
      </span>
      <span class="words">
        <a class="stretched" href={href(["episodes", one.id], { run })}>{one.instruction || one.task || one.id}</a>
        <span class="quiet mono">{one.id}</span>
        <span class="tags">
          <Outcome of={one} />
          <span class="tag">{t("episodes.steps", { count: one.steps })}</span>
          {one.unfit > 0 && <span class="tag warn">{t("column.unfit")}: <Unfit of={one} /></span>}
          {one.version > 1 && <span class="tag">{t("episodes.version", { version: one.version })}</span>}
          {one.review !== "open" && <RecordingState state={one.review} />}
          {one.tags.map((tag) => <span key={tag} class="tag">{tag}</span>)}
        </span>
        <span class="quiet">{one.agent}{one.created && ` · ${formatTime(one.created)}`}</span>
      </span>
    </li>
  );
}
