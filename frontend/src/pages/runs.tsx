// Every evaluation run with its score, searched and sorted; those on the same data can be compared.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t, type Word } from "../i18n";
import { comparable } from "../runs/rowfilter";
import { Score } from "../runs/score";
import type { RunSummary } from "../generated/api";
import { formatTime } from "../library/format";
import { Empty } from "../library/empty";
import { go, href, type Query } from "../router";
import { withChosen } from "../tables/counts";
import { nextSort } from "../tables/sort";
import { LiveLink } from "../watch/livelink";
import { countRuns, filterRuns, parseRunFilter, RUN_COLUMNS, RUN_FACETS, sortRuns } from "../runs/runlist";
import "../library/library.css";
import "../runs/runs.css";

export default function RunsPage({ query }: PageProps): JSX.Element {
  useTitle(t("runs.title"));
  const data = useData(() => get("api/runs"), []);
  return (
    <div class="page library runpage library-pages runs-pages">
      <h1>{t("runs.title")}</h1>
      <LiveLink />
      <Data data={data}>
        {({ runs, unreadable }) => (
          <>
            {unreadable.map((message) => <p key={message} class="banner bad">{message}</p>)}
            {runs.length === 0 ? <Empty words={t("runs.none")} commands={["tapwright eval run l3 -m random"]} /> : <Runs runs={runs} query={query} />}
          </>
        )}
      </Data>
    </div>
  );
}

function Runs({ runs, query }: { readonly runs: readonly RunSummary[]; readonly query: URLSearchParams }): JSX.Element {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const filter = parseRunFilter(query);
  const sort = query.get("sort") ?? "";
  const narrow = (values: Query): void =>
    go(["runs"], { ...Object.fromEntries(query), ...values });
  const shown = sortRuns(filterRuns(runs, filter), sort);
  const first = runs.find((run) => run.name === chosen[0]);
  const turn = (name: string): void => setChosen(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  const compare = (): void => {
    const [a, b] = chosen;
    if (chosen.length === 2) go(["compare"], { a, b });
    else go(["matrix"], { runs: JSON.stringify(chosen) });
  };
  return (
    <>
      <div class="toolbar">
        <label class="field">
          <span class="visually-hidden">{t("runs.search")}</span>
          <input type="search" placeholder={t("runs.search")} value={filter.q} onInput={(event) => narrow({ q: event.currentTarget.value || undefined })} />
        </label>
        {RUN_FACETS.map((facet) => (
          <select key={facet} aria-label={t(`runs.${facet}`)} value={filter[facet]} onChange={(event) => narrow({ [facet]: event.currentTarget.value || undefined })}>
            <option value="">{t("runs.any", { column: t(`runs.${facet}`) })}</option>
            {withChosen(countRuns(runs, filter, facet), filter[facet]).map(([value, count]) => <option key={value} value={value}>{t("filter.option", { value, count })}</option>)}
          </select>
        ))}
        <label class="since">
          <span>{t("runs.since")}</span>
          <input type="date" value={filter.since} onChange={(event) => narrow({ since: event.currentTarget.value || undefined })} />
        </label>
        <span class="quiet">{t("runs.choose")}</span>
      </div>
      {shown.length === 0 ? <Empty words={t("runs.none.fit")} onClear={() => go(["runs"], { sort: sort || undefined })} /> : <div class="panel scroll" tabIndex={0} role="region" aria-label={t("runs.title")}>
        <table class="runlist">
          <thead>
            <tr>
              <th scope="col"><span class="visually-hidden">{t("runs.pick")}</span></th>
              {RUN_COLUMNS.map((column) => (
                <th key={column} scope="col" aria-sort={sort === column ? "ascending" : sort === `-${column}` ? "descending" : undefined}>
                  <button type="button" class="link" title={t("runs.sort.by", { column: t(`runs.${column}` as Word) })} onClick={() => narrow({ sort: nextSort(sort, column) })}>
                    {t(`runs.${column}` as Word)}<span aria-hidden="true">{sort === column ? " ↑" : sort === `-${column}` ? " ↓" : ""}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((run) => <Row key={run.name} run={run} first={first} chosen={chosen.includes(run.name)} onTurn={() => turn(run.name)} />)}
          </tbody>
        </table>
      </div>}
      {chosen.length > 0 && (
        <div class="row picks">
          <Button label={chosen.length > 2 ? t("runs.compare.many", { count: chosen.length }) : t("runs.compare")} kind="primary" disabled={chosen.length < 2} onPress={compare} />
          <span class="grow quiet">{chosen.join(", ")}</span>
          <Button label={t("runs.clear")} kind="quiet" onPress={() => setChosen([])} />
        </div>
      )}
    </>
  );
}

function Row({ run, first, chosen, onTurn }: {
  readonly run: RunSummary;
  /** The first run that was chosen: others have to be on its data. */
  readonly first: RunSummary | undefined;
  readonly chosen: boolean;
  readonly onTurn: () => void;
}): JSX.Element {
  const fits = first === undefined || comparable(first, run);
  const why = t("runs.other.means", { name: run.name, benchmark: run.benchmark, data: run.data_sha256.slice(0, 8) });
  return (
    <tr>
      <td><input type="checkbox" aria-label={t("runs.pick.one", { name: run.name })} checked={chosen} disabled={!fits} title={fits ? undefined : why} onChange={onTurn} /></td>
      <th scope="row"><a href={href(["runs", run.name])}>{run.name}</a></th>
      <td>{run.benchmark} <code class="quiet" title={run.data_sha256}>{run.data_sha256.slice(0, 8)}</code>{!fits && <> <span class="tag warn reason" title={why}>{t("runs.other")}</span></>}</td>
      <td>{run.subject}</td>
      <td><Score value={run.score} interval={run.interval} /></td>
      <td>{run.answered}/{run.expected}{!run.complete && <> <span class="tag warn">{t("runs.incomplete")}</span></>}</td>
      <td class="quiet">{formatTime(run.created)}</td>
    </tr>
  );
}
