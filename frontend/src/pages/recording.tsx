// One recording under review: its steps, what was said of it, and the reviewer's choices.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import type { EpisodeView, ScreenView } from "../generated/api";
import { t } from "../i18n";
import { Button } from "../components/button";
import { FilmStrip } from "../library/filmstrip";
import { StepFacts } from "../library/facts";
import { ReviewHead } from "../review/head";
import { parseRecordingFilter } from "../review/recordingfilter";
import { RecordingVerdict } from "../review/recordingverdict";
import { judgeClass, StepScreens } from "../review/screens";
import { useRoomBelow } from "../viewer/roombelow";
import "../library/library.css";
import "../review/review.css";
import "../viewer/viewer.css";

export default function RecordingPage({ params, query }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  useTitle(t("recordings.title"));
  const data = useData(() => get("api/episode", { id }), [id]);
  return (
    <div class="page library wide library-pages review-pages viewer-pages">
      <ReviewHead open="recordings" />
      <Data data={data}>{(episode) => <Recording key={episode.id} episode={episode} filter={parseRecordingFilter(query)} />}</Data>
    </div>
  );
}

function Recording({ episode, filter }: { readonly episode: EpisodeView; readonly filter: ReturnType<typeof parseRecordingFilter> }): JSX.Element {
  const [step, setStep] = useState(0);
  const box = useRoomBelow(step);
  const one = episode.steps[step];
  const last = episode.steps.length - 1;
  const after: ScreenView | null = one?.after ?? episode.steps[step + 1]?.before ?? episode.final;
  return (
    <>
      {episode.steps.length > 0 && <FilmStrip episode={episode} episodeRef={{ id: episode.id, run: undefined }} step={step} onOpen={setStep} />}
      <div class={`${judgeClass(one?.before)} recording`} ref={box}>
        {one ? <StepScreens episode={episode.id} step={step} before={one.before} after={after} action={one.action} more={one.more} /> : <p class="panel">{t("episode.empty")}</p>}
        <div class="side">
          <RecordingVerdict episode={episode} filter={filter} />
          {one && (
            <section class="panel now" aria-label={t("episode.place", { step: step + 1, count: last + 1 })}>
              <h2>{t("episode.place", { step: step + 1, count: last + 1 })}</h2>
              <StepFacts step={one} />
              <div class="row">
                <Button label={t("episode.before")} keys="ArrowLeft" kind="quiet" disabled={step === 0} onPress={() => setStep(step - 1)} />
                <Button label={t("episode.next")} keys="ArrowRight" kind="quiet" disabled={step >= last} onPress={() => setStep(step + 1)} />
              </div>
            </section>
          )}
        </div>
      </div>
    </>
  );
}
