// The rows of a run as a table, sorted by a press on a column's head.

import type { JSX } from "preact";

import type { SampleView } from "../generated/api";
import { t } from "../i18n";
import { heading } from "../library/format";
import { Verdict } from "./samples";
import { nextSort } from "../tables/sort";
import { COLUMNS, columnName } from "./columns";

export function RowTable({ rows, labels, played, sort, open, onSort, onOpen }: {
  readonly rows: readonly SampleView[];
  readonly labels: readonly string[];
  readonly played: boolean;
  readonly sort: string;
  readonly open: string | null;
  readonly onSort: (sort: string | undefined) => void;
  readonly onOpen: (key: string) => void;
}): JSX.Element {
  const shown = COLUMNS.filter((column) => column !== "mistake" && column !== "instruction" && (played || column !== "steps"));
  const columns = [...shown, ...labels];
  return (
    <div class="panel scroll" tabIndex={0} role="region" aria-label={t("run.view.table")}>
      <table class="rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" aria-sort={sort === column ? "ascending" : sort === `-${column}` ? "descending" : undefined}>
                <button type="button" class="link" onClick={() => onSort(nextSort(sort, column))}>
                  {column === "key" ? `${heading(columnName("key"))} · ${columnName("instruction")}` : heading(columnName(column))}
                  <span aria-hidden="true">{sort === column ? " ↑" : sort === `-${column}` ? " ↓" : ""}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} class={row.key === open ? "open" : ""}>
              {columns.map((column) => (column === "key" ? (
                <th key={column} scope="row">
                  <button type="button" class="link" data-sample={row.key} onClick={() => onOpen(row.key)}>{t("run.open", { key: row.key, instruction: row.instruction })}</button>
                </th>
              ) : <td key={column}><Cell row={row} column={column} /></td>))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ row, column }: { readonly row: SampleView; readonly column: string }): JSX.Element {
  switch (column) {
    case "verdict":
      return <span class="tags"><Verdict row={row} /></span>;
    case "score":
      return <>{row.score === null ? "–" : Number(row.score.toFixed(3))}</>;
    case "latency":
      return <span class="figures">{t("fact.seconds", { seconds: row.latency_s.toFixed(2) })}</span>;
    case "tokens":
      return <>{row.tokens || "–"}</>;
    case "steps":
      return <>{row.steps ?? "–"}</>;
    case "answer":
      return <span class="answer">{row.error ?? (row.chosen || row.answer || "–")}</span>;
    default:
      return <>{row.labels[column] || "–"}</>;
  }
}
