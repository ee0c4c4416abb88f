// One evaluation run: its figures, and its samples on their pictures; the filter is in the address.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Command } from "../library/command";
import { Fact } from "../library/facts";
import { fits, countLabels, parseRowFilter } from "../library/rowfilter";
import { formatMistake, SampleFacts, SamplePicture, Verdict } from "../library/samples";
import { Score } from "../library/score";
import { shellCommand } from "../library/shellcommand";
import type { RunView, SampleView } from "../generated/api";
import { formatPercent, formatTime } from "../library/format";
import { go, href, type Query } from "../router";
import "../library/library.css";

const PAGE = 48;

export default function RunPage({ params, query }: PageProps): JSX.Element {
  const name = params["name"] ?? "";
  useTitle(name);
  const data = useData(() => get("api/run", { name }), [name]);
  return (
    <div class="page library">
      <Data data={data}>{(run) => <Figures run={run} query={query} />}</Data>
    </div>
  );
}

function Figures({ run, query }: { readonly run: RunView; readonly query: URLSearchParams }): JSX.Element {
  const { summary } = run;
  const narrow = (values: Query): void => go(["runs", run.name], { ...Object.fromEntries(query), sample: undefined, ...values }, { replace: true });
  const open = run.rows.find((row) => row.key === query.get("sample"));
  return (
    <>
      <h1>{run.name}</h1>
      {run.warnings.map((message) => <p key={message} class="banner warn">{message}</p>)}
      <div class="columns">
        <section class="panel" aria-label={t("run.figures")}>
          <h2>{t("run.figures")}</h2>
          <Score value={summary.score} interval={summary.interval} />
          <dl class="facts">
            <Fact word="runs.benchmark">{summary.benchmark}</Fact>
            <Fact word="runs.subject">{summary.subject}</Fact>
            <Fact word="runs.n">{t("run.n", { n: summary.n, answered: summary.answered, expected: summary.expected })}</Fact>
            <Fact word="run.format">{summary.format_errors}</Fact>
            {summary.cost !== null && <Fact word="run.cost">{summary.cost.toPrecision(3)}</Fact>}
            <Fact word="run.wall">{t("fact.seconds", { seconds: summary.wall_s })}</Fact>
            <Fact word="runs.started">{formatTime(summary.created)}</Fact>
            <Fact word="run.data"><code>{summary.data_sha256.slice(0, 12)}</code></Fact>
            <Fact word="run.version">{summary.tapwright}</Fact>
          </dl>
          <Command line={shellCommand("tapwright", "report", run.directory, "-o", "report.html")} />
        </section>
        <Tables run={run} />
      </div>
      <Filter run={run} query={query} narrow={narrow} />
      {open && <Opened key={open.key} run={run} row={open} onClose={() => narrow({})} />}
      <Gallery run={run} query={query} onOpen={(key) => narrow({ sample: key })} />
    </>
  );
}

function Tables({ run }: { readonly run: RunView }): JSX.Element {
  return (
    <section class="panel tables" aria-label={t("run.tables")} tabIndex={0}>
      {run.tables.map(({ dimension, groups, cells }) => (
        <table key={dimension}>
          <caption>{t("run.by", { dimension })}</caption>
          <tbody>
            {groups.map((group, index) => (
              <tr key={group}>
                <th scope="row">{group}</th>
                <td>{formatPercent(cells[index]?.value ?? null)}</td>
                <td class="quiet">n = {cells[index]?.n ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>
  );
}

function Filter({ run, query, narrow }: { readonly run: RunView; readonly query: URLSearchParams; readonly narrow: (values: Query) => void }): JSX.Element {
  const filter = parseRowFilter(query);
  const verdicts = (["hit", "miss", "failed"] as const).map((verdict) => [verdict, run.rows.filter((row) => row.verdict === verdict).length] as const);
  return (
    <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="field wide">
        <span>{t("filter.text")}</span>
        <input type="search" value={filter.text} onInput={(event) => narrow({ q: event.currentTarget.value || undefined })} />
      </label>
      <label class="field">
        <span>{t("filter.label")}</span>
        <select value={filter.label} onChange={(event) => narrow({ label: event.currentTarget.value || undefined })}>
          <option value="">{t("filter.any")}</option>
          {countLabels(run.rows).map(([label, count]) => <option key={label} value={label}>{`${label.replace(":", ": ")} (${count})`}</option>)}
        </select>
      </label>
      <div class="row badges" role="group" aria-label={t("filter.verdict")}>
        {verdicts.filter(([, count]) => count > 0).map(([verdict, count]) => (
          <Button key={verdict} label={`${t(`verdict.${verdict}`)} ${count}`} pressed={filter.verdict === verdict}
            onPress={() => narrow({ verdict: filter.verdict === verdict ? undefined : verdict })} />
        ))}
        {Object.entries(run.mistakes).map(([mistake, count]) => (
          <Button key={mistake} label={`${formatMistake(mistake)} ${count}`} pressed={filter.mistake === mistake}
            onPress={() => narrow({ mistake: filter.mistake === mistake ? undefined : mistake })} />
        ))}
      </div>
    </form>
  );
}

function Gallery({ run, query, onOpen }: { readonly run: RunView; readonly query: URLSearchParams; readonly onOpen: (key: string) => void }): JSX.Element {
  const filter = parseRowFilter(query);
  const rows = run.rows.filter((row) => fits(row, filter));
  const [most, setMost] = useState(PAGE);
  return (
    <>
      <p class="quiet" role="status">{t("run.found", { found: rows.length, total: run.rows.length })}</p>
      <ul class="gallery">
        {rows.slice(0, most).map((row) => (
          <li key={row.key} class="panel">
            <div class="sample">
              <SamplePicture name={run.name} row={row} small />
              <span class="tags"><Verdict row={row} /></span>
              <button type="button" class="link stretched" onClick={() => onOpen(row.key)}>{t("run.open", { key: row.key, instruction: row.instruction })}</button>
              <span class="quiet">{row.error ?? (row.chosen || row.answer)}</span>
            </div>
            {row.episode && <EpisodeLink run={run.name} id={row.episode} />}
          </li>
        ))}
      </ul>
      {rows.length > most && <Button label={t("run.more", { left: rows.length - most })} onPress={() => setMost(most + PAGE)} />}
    </>
  );
}

function Opened({ run, row, onClose }: { readonly run: RunView; readonly row: SampleView; readonly onClose: () => void }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="panel opened" aria-label={t("run.sample", { key: row.key })}>
      <SamplePicture name={run.name} row={row} />
      <div>
        <h2 tabIndex={-1} ref={heading}>{t("run.sample", { key: row.key })} <Verdict row={row} /></h2>
        <SampleFacts row={row} />
        {row.episode && <p><EpisodeLink run={run.name} id={row.episode} /></p>}
        <WholeLog run={run.name} sample={row.key} />
        <Button label={t("close")} keys="Escape" onPress={onClose} />
      </div>
    </section>
  );
}

/** The sample's line of the run log, fetched when it is opened. */
function WholeLog({ run, sample }: { readonly run: string; readonly sample: string }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="log" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("sample.log")}</summary>
      {open && <LogLine run={run} sample={sample} />}
    </details>
  );
}

function LogLine({ run, sample }: { readonly run: string; readonly sample: string }): JSX.Element {
  const data = useData(() => get("api/run/sample", { name: run, key: sample }), [run, sample]);
  return <Data data={data}>{({ log }) => <code class="log">{JSON.stringify(log, null, 2)}</code>}</Data>;
}

function EpisodeLink({ run, id }: { readonly run: string; readonly id: string }): JSX.Element {
  return <a href={href(["episodes", id], { run })}>{t("run.episode", { id })}</a>;
}
