// The queue of whole recordings to be reviewed, with a filter that is in the address.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { ChangeMenu } from "../changes/changemenu";
import { JobBar } from "../changes/jobbar";
import { useEndedChanges, useOpenJobs } from "../changes/jobs";
import { ReviewDialog } from "../changes/reviewdialog";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import type { RecordingPage, RecordingRow } from "../generated/api";
import { t } from "../i18n";
import { Field } from "../library/field";
import { appName, formatTime } from "../library/format";
import { thumbnailUrl } from "../library/imageurls";
import { AGES_H, facetOptions } from "../review/filter";
import { ReviewHead } from "../review/head";
import { RECORDING_FACETS, RECORDING_STATES, parseRecordingFilter, recordingFilterQuery, type RecordingFilter } from "../review/recordingfilter";
import { RecordingState } from "../library/recordingstate";
import { go, href } from "../router";
import { FilterForm } from "../tables/filterform";
import "../changes/changes.css";
import "../library/library.css";
import { Outcome } from "../library/outcome";
import { Empty } from "../library/empty";
import "../review/review.css";

export default function RecordingsPage({ query }: PageProps): JSX.Element {
  useTitle(t("recordings.title"));
  const filter = parseRecordingFilter(query);
  const page = Number(query.get("page")) || 0;
  const selected = recordingFilterQuery(filter);
  const data = useData(() => get("api/review/recordings", { ...selected, page }), [JSON.stringify(selected), page]);
  useOpenJobs(true);
  useEndedChanges(data.reload);
  return (
    <div class="page library library-pages review-pages changes-pages">
      <ReviewHead open="recordings" />
      <JobBar />
      <Data data={data}>
        {(found) => (
          <>
            <RecordingFilterBar filter={filter} page={found} />
            <div class="row">
              <span class="quiet" role="status">{t("recordings.found", { count: found.found })}</span>
              <ReviewAll filter={filter} disabled={found.found === 0} />
              <ChangeMenu />
            </div>
            {found.found === 0 && (Object.keys(found.states).length === 0
              ? <Empty words={t("recordings.none")}><a href={href([])}>{t("missing.home")}</a></Empty>
              : <Empty words={t("recordings.unfit")} onClear={() => go(["review", "recordings"], { show: "any" })} />)}
            <ul class="wall recordings">{found.recordings.map((row) => <Card key={row.recording.id} row={row} filter={filter} />)}</ul>
            {found.pages > 1 && (
              <nav class="pager" aria-label={t("pager.label")}>
                <button type="button" class="button" disabled={page === 0} onClick={() => go(["review", "recordings"], { ...selected, page: page - 1 })}>{t("pager.before")}</button>
                <span>{t("pager.place", { page: page + 1, pages: found.pages })}</span>
                <button type="button" class="button" disabled={page + 1 >= found.pages} onClick={() => go(["review", "recordings"], { ...selected, page: page + 1 })}>{t("pager.next")}</button>
              </nav>
            )}
          </>
        )}
      </Data>
    </div>
  );
}

/** The same review for all that the filter shows, which are counted before. */
function ReviewAll({ filter, disabled }: { readonly filter: RecordingFilter; readonly disabled: boolean }): JSX.Element {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Button label={t("bulk.review.all")} disabled={disabled} onPress={() => setAsks(true)} />
      {asks && (
        <ReviewDialog
          count={() => get("api/review/recordings/bulk", recordingFilterQuery(filter))}
          send={(stamp, review) => post("api/review/recordings/bulk", { ...filter, ...review, stamp })}
          onClose={() => setAsks(false)}
          onBegun={() => undefined}
        />
      )}
    </>
  );
}

function RecordingFilterBar({ filter, page }: { readonly filter: RecordingFilter; readonly page: RecordingPage }): JSX.Element {
  const narrow = (part: Partial<RecordingFilter>): void => go(["review", "recordings"], recordingFilterQuery({ ...filter, ...part }));
  const total = Object.values(page.states).reduce((sum, one) => sum + one, 0);
  return (
    <FilterForm label={t("review.filter")} count={Object.values(recordingFilterQuery(filter)).filter((value) => value !== undefined).length}>
      <Field label={t("review.filter.state")}>
        <select value={filter.show} onChange={(event) => narrow({ show: RECORDING_STATES.find((one) => one === event.currentTarget.value) ?? "open" })}>
          {RECORDING_STATES.map((one) => (
            <option key={one} value={one}>
              {t("filter.option", { value: t(one === "any" ? "review.show.any" : `recording.state.${one}`), count: one === "any" ? total : page.states[one] ?? 0 })}
            </option>
          ))}
        </select>
      </Field>
      {RECORDING_FACETS.map((facet) => (
        <Field key={facet} label={t(`recording.${facet}`)}>
          <select value={filter[facet]} onChange={(event) => narrow({ [facet]: event.currentTarget.value })}>
            <option value="">{t("filter.any")}</option>
            {facetOptions(page.facets[facet] ?? {}, filter[facet]).map(([value, count]) => (
              <option key={value} value={value}>{t("filter.option", { value: facet === "app" ? appName(value) : value || "–", count })}</option>
            ))}
          </select>
        </Field>
      ))}
      <Field label={t("review.filter.waiting")}>
        <select value={filter.waiting_h} onChange={(event) => narrow({ waiting_h: AGES_H.find((one) => String(one) === event.currentTarget.value) ?? 0 })}>
          <option value={0}>{t("filter.any")}</option>
          {AGES_H.map((one) => <option key={one} value={one}>{t(`review.waiting.${one}`)}</option>)}
        </select>
      </Field>
    </FilterForm>
  );
}

function Card({ row: { recording: one, state }, filter }: { readonly row: RecordingRow; readonly filter: RecordingFilter }): JSX.Element {
  return (
    <li class="panel card">
      <span class="pair">
        {[one.first, one.last].map((sha, index) => (
          sha === null
            ? <span key={index} class="empty" />
            : <img key={index} src={thumbnailUrl({ id: one.id, run: undefined }, sha)} alt="" loading="lazy" decoding="async" />
        ))}
      </span>
      <span class="words">
        <a class="stretched" href={href(["review", "recordings", one.id], recordingFilterQuery(filter))}>{one.instruction || one.task || one.id}</a>
        <span class="tags">
          <RecordingState state={state} />
          <Outcome of={one} />
          <span class="tag">{t("episodes.steps", { count: one.steps })}</span>
        </span>
        <span class="quiet">{one.agent}{one.created && ` · ${formatTime(one.created)}`}</span>
      </span>
    </li>
  );
}
