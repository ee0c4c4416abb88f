// One evaluation run: its figures in a line, its scores as charts, and its samples; filter, order, page,
// view and the opened sample are in the address.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { get } from "../api";
import { Data, useData, useRefresh, type Loaded } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Empty } from "../library/empty";
import { CLEARED, filterQuery, parseRowFilter, ROWS_PER_PAGE } from "../runs/rowfilter";
import type { RowPage, RunView } from "../generated/api";
import { useOpened } from "../tables/opened";
import { go, type Query } from "../router";
import { Charts, Figures } from "../runs/figures";
import { Gallery } from "../runs/gallery";
import { Pager } from "../runs/pager";
import { RowForm } from "../runs/rowform";
import { RowTable } from "../runs/rowtable";
import { SamplePanel } from "../runs/samplepanel";
import { LiveLink } from "../watch/livelink";
import "../library/library.css";
import "../runs/runs.css";

const GROWS_MS = 10_000;

export default function RunPage({ params, query }: PageProps): JSX.Element {
  const name = params["name"] ?? "";
  useTitle(name);
  const data = useData(() => get("api/run", { name }), [name]);
  return (
    <div class="page library runpage library-pages runs-pages">
      <h1>{name}</h1>
      <LiveLink run={name} />
      <Data data={data}>{(run) => <Run run={run} query={query} reload={data.reload} />}</Data>
    </div>
  );
}

function Run({ run, query, reload }: { readonly run: RunView; readonly query: URLSearchParams; readonly reload: () => void }): JSX.Element {
  const { name } = run;
  const filter = parseRowFilter(query);
  const page = Number(query.get("page") ?? 0) || 0;
  const view = query.get("view") === "table" ? "table" : "gallery";
  const sample = query.get("sample");
  const rows = useData(() => get("api/run/rows", { name, ...filterQuery(filter), page }), [name, JSON.stringify(filter), page]);
  const grown = rows.value?.total;
  const told = useRef(grown);
  useEffect(() => {
    if (told.current !== undefined && told.current !== grown) reload();
    told.current = grown;
  }, [grown, reload]);
  const place = (values: Query): void => go(["runs", name], { ...Object.fromEntries(query), ...values });
  const narrow = (values: Query): void => place({ page: undefined, ...values });
  const { open, close } = useOpened("sample", "data-sample", sample, place);
  const onPage = (next: number): void => place({ page: next || undefined });
  return (
    <>
      {run.warnings.map((message) => <p key={message} class="banner warn">{message}</p>)}
      {!run.summary.complete && <Growing rows={rows} />}
      <Figures run={run} />
      <div class={`beside${sample === null ? "" : " with-sample"}`}>
        <Charts run={run} label={filter.label} onLabel={(label) => narrow({ label: label || undefined })} />
        <Data data={rows}>
          {(found) => (
            <div class="found">
              <RowForm run={name} filter={filter} facets={found.facets} view={view} played={run.played} narrow={narrow} />
              <div class="row">
                <span class="quiet" role="status">{t("run.found", { found: found.found, total: found.total })}</span>
                <Pager page={found.page} pages={found.pages} onPage={onPage} />
              </div>
              {found.rows.length === 0 && <Empty words={t("run.none")} onClear={() => narrow(CLEARED)} />}
              {view === "gallery"
                ? <Gallery run={name} rows={found.rows} open={sample} onOpen={open} />
                : <RowTable rows={found.rows} labels={run.labels} played={run.played} sort={filter.sort} open={sample} onSort={(sort) => narrow({ sort })} onOpen={open} />}
              <Pager page={found.page} pages={found.pages} onPage={onPage} />
            </div>
          )}
        </Data>
        {sample !== null && (
          <SamplePanel run={name} sample={sample} filter={filter} onClose={close}
            onOpen={(key, at) => place({ sample: key, page: Math.floor(at / ROWS_PER_PAGE) || undefined })} />
        )}
      </div>
    </>
  );
}

/** Looks for the rows that a run has added. */
function Growing({ rows }: { readonly rows: Loaded<RowPage> }): null {
  useRefresh(rows, GROWS_MS);
  return null;
}
