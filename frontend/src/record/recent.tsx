// The most recent episodes, on the start page.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { Thumb } from "../components/thumb";
import { t } from "../i18n";
import { thumbnailUrl } from "../library/imageurls";
import { Outcome } from "../library/outcome";
import { RecordingState } from "../library/recordingstate";
import { href } from "../router";
import { useUntilRead } from "../tables/reading";

const SHOWN = 6;

export function RecentEpisodes(): JSX.Element {
  const page = useData(() => get("api/episodes"), []);
  useUntilRead(page);
  return (
    <aside class="panel recent" aria-label={t("home.recent.title")}>
      <h2>{t("home.recent.title")}</h2>
      <Data data={page}>
        {({ episodes, total, unread }) => (
          <>
            {episodes.length === 0 && unread === 0 && <p class="hint">{t("home.recent.none")}</p>}
            <ul class="lines">
              {episodes.slice(0, SHOWN).map((episode) => (
                <li key={episode.id}>
                  <a class="row" href={href(["episodes", episode.id])}>
                    {episode.last ? (
                      <Thumb src={thumbnailUrl({ id: episode.id, run: undefined }, episode.last)} />
                    ) : (
                      <span class="thumb" />
                    )}
                    <span class="grow">
                      {episode.instruction || episode.id}
                      <small class="hint">
                        <Outcome of={episode} /> {(episode.review === "again" || episode.review === "reject") && <RecordingState state={episode.review} />} {t("home.recent.steps", { n: episode.steps })}
                      </small>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
            {total + unread > SHOWN && <a href={href(["episodes"])}>{t("home.recent.all")}</a>}
          </>
        )}
      </Data>
    </aside>
  );
}
