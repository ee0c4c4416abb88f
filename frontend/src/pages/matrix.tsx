// Several runs on the same data: their scores, and every pair's difference with whether it is a real one.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Command } from "../library/command";
import { formatPercent, formatPoints } from "../library/format";
import { shellCommand } from "../library/shellcommand";
import type { MatrixView, PairView, RunSummary } from "../generated/api";
import { href } from "../router";
import { BarChart } from "../runs/barchart";
import { findPair, formatP, parseRuns, SIGNIFICANT } from "../runs/pairs";
import "../library/library.css";
import "../runs/runs.css";

export default function Matrix({ query }: PageProps): JSX.Element {
  const names = parseRuns(query.get("runs") ?? "");
  useTitle(t("matrix.title"));
  return (
    <div class="page library runpage library-pages runs-pages">
      <h1>{t("matrix.title")}</h1>
      {names.length < 2 ? <p class="panel">{t("matrix.few")} <a href={href(["runs"])}>{t("runs.title")}</a></p> : <Loaded key={names.join("\n")} names={names} />}
    </div>
  );
}

function Loaded({ names }: { readonly names: readonly string[] }): JSX.Element {
  const data = useData(() => get("api/matrix", { runs: JSON.stringify(names) }), []);
  return <Data data={data}>{(found) => <Found found={found} />}</Data>;
}

function Found({ found }: { readonly found: MatrixView }): JSX.Element {
  const runs = [...found.runs].sort((one, other) => (other.score ?? -1) - (one.score ?? -1));
  return (
    <>
      <div class="panel scores">
        <BarChart title={t("matrix.scores")} bars={runs.map((run) => ({ name: run.name, cell: { n: run.n, value: run.score, interval: run.interval } }))} />
      </div>
      <p>{t("matrix.means", { pairs: found.pairs.length })}</p>
      <div class="matrix-room" tabIndex={0} role="region" aria-label={t("matrix.title")}>
        <table class="panel matrix">
          <thead>
            <tr>
              <td />
              {runs.map((run) => <th key={run.name} scope="col"><a href={href(["runs", run.name])}>{run.name}</a></th>)}
            </tr>
          </thead>
          <tbody>
            {runs.map((row) => (
              <tr key={row.name}>
                <th scope="row"><a href={href(["runs", row.name])}>{row.name}</a> <span class="quiet">{row.subject}</span></th>
                {runs.map((column) => <td key={column.name}><Cell row={row} column={column} pairs={found.pairs} /></td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Command line={shellCommand("tapwright", "eval", "compare", ...runs.map((run) => run.directory))} />
    </>
  );
}

function Cell({ row, column, pairs }: { readonly row: RunSummary; readonly column: RunSummary; readonly pairs: readonly PairView[] }): JSX.Element {
  if (row.name === column.name) return <span class="cell same">{formatPercent(row.score)}</span>;
  const pair = findPair(pairs, row.name, column.name);
  if (!pair) return <span class="cell same">–</span>;
  const words = t("matrix.cell", {
    row: row.name,
    column: column.name,
    points: formatPoints(pair.difference),
    low: pair.interval ? formatPoints(pair.interval[0]) : "–",
    high: pair.interval ? formatPoints(pair.interval[1]) : "–",
    p: formatP(pair.p_value),
    holm: formatP(pair.holm_p),
    gained: pair.gained,
    lost: pair.lost,
    n: pair.n,
  });
  const kind = pair.holm_p >= SIGNIFICANT ? "" : pair.difference > 0 ? "up" : "down";
  return (
    <a class={`cell ${kind}`} href={href(["compare"], { a: column.name, b: row.name })} aria-label={words} data-tip={words}>
      {formatPoints(pair.difference)}
    </a>
  );
}
