// The list of runs, filtered and sorted by what the address says.

import type { RunSummary } from "../generated/api";

export const RUN_COLUMNS = ["name", "benchmark", "subject", "score", "n", "started"] as const;
export type RunColumn = (typeof RUN_COLUMNS)[number];

export const RUN_FACETS = ["benchmark", "subject"] as const;
export type RunFacet = (typeof RUN_FACETS)[number];

export interface RunFilter {
  readonly q: string;
  readonly benchmark: string;
  readonly subject: string;
  /** A date, "2026-11-23", on which or after which a run was started. */
  readonly since: string;
}

export function parseRunFilter(query: URLSearchParams): RunFilter {
  const value = (name: string): string => query.get(name) ?? "";
  return { q: value("q"), benchmark: value("benchmark"), subject: value("subject"), since: value("since") };
}

/** The runs that fit; `but` leaves one facet out. */
export function filterRuns(runs: readonly RunSummary[], filter: RunFilter, but?: RunFacet): RunSummary[] {
  const words = filter.q.trim().toLowerCase();
  return runs.filter(
    (run) =>
      `${run.name}\n${run.benchmark}\n${run.subject}`.toLowerCase().includes(words) &&
      RUN_FACETS.every((facet) => facet === but || filter[facet] === "" || run[facet] === filter[facet]) &&
      run.created.slice(0, filter.since.length) >= filter.since,
  );
}

/** How many runs each value of a facet would show; the most frequent first. */
export function countRuns(runs: readonly RunSummary[], filter: RunFilter, facet: RunFacet): Record<string, number> {
  const counts = new Map<string, number>();
  for (const run of filterRuns(runs, filter, facet)) counts.set(run[facet], (counts.get(run[facet]) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)));
}

/** By a column, with "-" before it from the largest down; "" is the order of the server. */
export function sortRuns(runs: readonly RunSummary[], sort: string): RunSummary[] {
  if (sort === "") return [...runs];
  const column = sort.replace(/^-/, "") as RunColumn;
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...runs].sort((one, other) => sign * compareRuns(one, other, column));
}

function compareRuns(one: RunSummary, other: RunSummary, column: RunColumn): number {
  switch (column) {
    case "score":
      return (one.score ?? -1) - (other.score ?? -1);
    case "n":
      return one.answered - other.answered;
    case "started":
      return one.created.localeCompare(other.created);
    case "name":
    case "benchmark":
    case "subject":
      return one[column].localeCompare(other[column], "en", { numeric: true });
    default:
      return 0; // an address may name any column
  }
}
