// The filter of a run's samples, which is in the address: "?verdict=miss&mistake=near+miss&label=app:Notes".
// A static copy filters as the server does (web/library/run_index.py).

import type { RowPage, RunSummary, SampleView } from "../generated/api";
import type { Query } from "../router";

export interface RowFilter {
  readonly q: string;
  readonly verdict: string;
  readonly mistake: string;
  /** Lines "name:value". */
  readonly label: string;
  /** A column, with "-" before it from the largest down; "" is the order of the log. */
  readonly sort: string;
}

export const ROWS_PER_PAGE = 48;
const MOST_VALUES = 100;

/** A query that takes every condition away. */
export const CLEARED: Query = { q: undefined, label: undefined, verdict: undefined, mistake: undefined };

export function parseRowFilter(query: URLSearchParams): RowFilter {
  const value = (name: string): string => query.get(name) ?? "";
  return { q: value("q"), verdict: value("verdict"), mistake: value("mistake"), label: value("label"), sort: value("sort") };
}

/** The labels of a filter by their names. */
export function parseLabels(label: string): ReadonlyMap<string, string> {
  const pairs = label.split("\n").filter((line) => line !== "");
  return new Map(pairs.map((line) => {
    const at = line.indexOf(":");
    return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  }));
}

/** The labels with another value for one of them; "" takes it out. */
export function withLabel(label: string, name: string, value: string): string {
  const labels = new Map(parseLabels(label));
  if (value === "") labels.delete(name);
  else labels.set(name, value);
  return [...labels].map(([one, other]) => `${one}:${other}`).join("\n");
}

type Test = (row: SampleView) => boolean;

/** The tests of a filter by the part that they are of. */
function testsOf({ q, verdict, mistake, label }: RowFilter): ReadonlyMap<string, Test> {
  const tests = new Map<string, Test>();
  const wanted = q.trim().toLowerCase();
  if (wanted !== "") tests.set("text", (row) => `${row.key}\n${row.instruction}\n${row.answer}`.toLowerCase().includes(wanted));
  if (verdict !== "") tests.set("verdict", (row) => row.verdict === verdict);
  if (mistake !== "") tests.set("mistake", (row) => row.mistake === mistake);
  for (const [name, value] of parseLabels(label)) tests.set(`label ${name}`, (row) => (row.labels[name] ?? "") === value);
  return tests;
}

/** The rows that fit, in order. */
export function filterRows(rows: readonly SampleView[], filter: RowFilter): SampleView[] {
  const tests = [...testsOf(filter).values()];
  return sortRows(rows.filter((row) => tests.every((test) => test(row))), filter.sort);
}

/** A page of the rows that fit. */
export function pageRows(rows: readonly SampleView[], filter: RowFilter, page: number): RowPage {
  const found = filterRows(rows, filter);
  const tests = testsOf(filter);
  const but = (part: string): SampleView[] => rows.filter((row) => [...tests].every(([name, test]) => name === part || test(row)));
  const names = new Set(rows.flatMap((row) => Object.keys(row.labels)));
  const told = [...names].filter((name) => new Set(rows.map((row) => row.labels[name] ?? "")).size > 1);
  return {
    total: rows.length,
    found: found.length,
    page,
    pages: Math.max(1, Math.ceil(found.length / ROWS_PER_PAGE)),
    facets: {
      verdict: count(but("verdict").map((row) => row.verdict)),
      mistake: count(but("mistake").map((row) => row.mistake ?? "")),
      labels: Object.fromEntries(told.map((name) => [name, count(but(`label ${name}`).map((row) => row.labels[name] ?? ""))])),
    },
    rows: found.slice(page * ROWS_PER_PAGE, (page + 1) * ROWS_PER_PAGE),
  };
}

function count(values: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([, one], [, other]) => other - one).slice(0, MOST_VALUES));
}

function sortRows(rows: readonly SampleView[], sort: string): SampleView[] {
  if (sort === "") return [...rows];
  const sign = sort.startsWith("-") ? -1 : 1;
  const value = (row: SampleView): string | number | null => columnValue(row, sort.replace(/^-/, ""));
  return [...rows].sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * compareValues(left, right);
  });
}

function compareValues(left: string | number, right: string | number): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  return String(left).localeCompare(String(right), "en", { numeric: true });
}

function columnValue(row: SampleView, column: string): string | number | null {
  switch (column) {
    case "key":
      return row.key;
    case "verdict":
      return row.verdict;
    case "mistake":
      return row.mistake;
    case "score":
      return row.score;
    case "latency":
      return row.verdict === "failed" ? null : row.latency_s;
    case "tokens":
      return row.tokens || null;
    case "steps":
      return row.steps;
    case "answer":
      return row.answer || null;
    case "instruction":
      return row.instruction || null;
    default:
      return row.labels[column] || null;
  }
}

/** What the API takes of a filter: only what is set. */
export function filterQuery(filter: RowFilter): Query {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}

/** Whether two runs can be compared: they are on the same benchmark and data. */
export function comparable(one: RunSummary, other: RunSummary): boolean {
  return one.benchmark === other.benchmark && one.data_sha256 === other.data_sha256;
}
