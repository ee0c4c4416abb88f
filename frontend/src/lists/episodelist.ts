// What is shown of a list of episodes, which is in the address: filter, order, page, view, columns and
// the opened episode.

import { shellCommand } from "../library/shellcommand";
import type { Query } from "../router";

export const FACETS = ["app", "suite", "outcome", "agent", "language", "tag", "review", "fit"] as const;
export type Facet = (typeof FACETS)[number];

/** What narrows a list besides the search, and stands among its filters. */
const NARROWING = ["task", "commented", ...FACETS] as const;

export const COLUMNS = [
  "instruction", "task", "suite", "app", "agent", "device", "language", "outcome", "steps", "duration", "tag", "created", "version", "review", "reviewed", "comments", "unfit",
] as const;
export type Column = (typeof COLUMNS)[number];

/** Those that a list has until somebody chooses others. */
export const USUAL: readonly Column[] = ["instruction", "task", "app", "agent", "outcome", "steps", "duration", "tag", "created"];

/** Lists of words have no order. */
const UNSORTED: readonly Column[] = ["app", "tag"];
export const NEWEST = "-created";

/** What is set of a filter, by its names in the address. */
export type EpisodesFilter = { readonly [Name in "q" | "run" | (typeof NARROWING)[number]]?: string };

export interface EpisodeList {
  readonly filter: EpisodesFilter;
  readonly sort: string;
  readonly page: number;
  readonly view: "table" | "cards";
  readonly columns: readonly Column[];
  readonly open: string | null;
}

export function parseList(query: URLSearchParams): EpisodeList {
  const filter = ["q", "run", ...NARROWING].flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value]] : [];
  });
  const named = (query.get("columns") ?? "").split(",");
  const columns = COLUMNS.filter((column) => named.includes(column));
  return {
    filter: Object.fromEntries(filter),
    sort: query.get("sort") || NEWEST,
    page: Math.max(0, Math.trunc(Number(query.get("page"))) || 0),
    view: query.get("view") === "cards" ? "cards" : "table",
    columns: columns.length > 0 ? columns : USUAL,
    open: query.get("open"),
  };
}

/** How many values narrow the list, besides the search. */
export function countNarrowing(filter: EpisodesFilter): number {
  return NARROWING.filter((name) => name in filter).length;
}

/** A filter of nothing, for the address. */
export const CLEARED: Query = Object.fromEntries(["q", ...NARROWING].map((name) => [name, undefined]));

/** What the API takes for a page of the list. */
export function pageQuery({ filter, sort, page }: EpisodeList): Query {
  return { ...filter, sort, page };
}

/** The columns as the address holds them, in their order; nothing for the usual ones. */
export function formatColumns(columns: readonly Column[]): string | undefined {
  const chosen = COLUMNS.filter((column) => columns.includes(column)).join(",");
  return chosen === "" || chosen === USUAL.join(",") ? undefined : chosen;
}

export function sortable(column: Column): boolean {
  return !UNSORTED.includes(column);
}

/** `tapwright episodes ls` with the same filter and order. */
export function listCommand(store: string, { filter, sort }: EpisodeList): string {
  const words = ["tapwright", "episodes", "ls", store];
  const where: string[] = [];
  for (const [name, value] of Object.entries(filter)) {
    if (name === "q" && isFilter(value)) where.push(value.includes(" or ") ? `(${value})` : value);
    else if (name === "q") words.push("--text", value);
    else if (name === "suite" || name === "language" || name === "review") where.push(`${name} == ${JSON.stringify(value)}`);
    else if (name === "tag" || name === "fit") where.push(`${name}(${JSON.stringify(value)})`);
    else if (name !== "run") words.push(`--${name}`, value);
  }
  if (where.length > 0) words.push("--where", where.join(" and "));
  if (sort !== NEWEST) words.push("--sort", sort);
  return shellCommand(...words);
}

/** Whether the server takes a search for a filter (web/library/episode_filter.py). */
function isFilter(text: string): boolean {
  return /[<>=]|\bin\b *[([]|" *in |^(not +)?(tag|app|annotated|fit|text) *\(/.test(text);
}
