// A list of episodes that is loaded whole, filtered, counted and sorted as the server does it
// (web/library/episode_filter.py, store/catalog.py); a search is for words, as no filter is read here.

import type { EntryView, EpisodeFacets, EpisodePage } from "../generated/api";
import type { Query } from "../router";

export interface Listed {
  readonly store: string;
  /** The oldest first. */
  readonly episodes: readonly EntryView[];
}

const PAGE = 60;

type Facet = keyof EpisodeFacets;

const VALUES: Readonly<Record<Facet, (one: EntryView) => readonly string[]>> = {
  app: (one) => one.apps,
  suite: (one) => [one.suite],
  outcome: (one) => [one.outcome],
  agent: (one) => [one.agent],
  language: (one) => [one.language],
  tag: (one) => one.tags,
  review: (one) => [one.review],
  fit: (one) => Object.keys(one.fit).filter((kind) => kind !== "target"),
};
const FACETS = Object.keys(VALUES) as Facet[];

export function filterPage({ store, episodes }: Listed, query: Query): EpisodePage {
  const found = sorted(episodes.filter((one) => isNamed(one, query) && FACETS.every((facet) => fits(one, facet, query))), String(query["sort"] ?? "-created"));
  const page = Number(query["page"] ?? 0);
  return {
    total: episodes.length,
    found: found.length,
    unread: 0,
    page,
    pages: Math.max(1, Math.ceil(found.length / PAGE)),
    store,
    unreadable: [],
    episodes: found.slice(page * PAGE, (page + 1) * PAGE),
  };
}

/** Whether it fits what is no facet. */
function isNamed(one: EntryView, query: Query): boolean {
  return hasWords(one, query) && (!query["commented"] || one.comments > 0);
}

export function countFacets({ episodes }: Listed, query: Query): EpisodeFacets {
  const named = episodes.filter((one) => isNamed(one, query));
  const of = (facet: Facet): Record<string, number> =>
    counted(named.filter((one) => FACETS.every((other) => other === facet || fits(one, other, query))), VALUES[facet]);
  return { app: of("app"), suite: of("suite"), outcome: of("outcome"), agent: of("agent"), language: of("language"), tag: of("tag"), review: of("review"), fit: of("fit") };
}

function hasWords(one: EntryView, query: Query): boolean {
  const text = String(query["q"] ?? "").toLowerCase();
  const task = String(query["task"] ?? "");
  return `${one.id}\n${one.task}\n${one.instruction}`.toLowerCase().includes(text) && (task === "" || one.task === task);
}

function fits(one: EntryView, facet: Facet, query: Query): boolean {
  const value = String(query[facet] ?? "");
  return value === "" || VALUES[facet](one).some((has) => has === value || (facet === "app" && has.endsWith(`.${value}`)));
}

/** By the column, then as they were recorded; all of it backwards with "-". */
function sorted(episodes: readonly EntryView[], sort: string): EntryView[] {
  const value = (one: EntryView): string | number => columnValue(one, sort.replace(/^-/, ""));
  const found = [...episodes].sort((one, other) => {
    const [left, right] = [value(one), value(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  });
  return sort.startsWith("-") ? found.reverse() : found;
}

function columnValue(one: EntryView, column: string): string | number {
  switch (column) {
    case "duration":
      return one.duration_s;
    case "instruction":
    case "task":
    case "suite":
    case "agent":
    case "device":
    case "language":
    case "outcome":
    case "steps":
    case "created":
    case "version":
    case "reviewed":
    case "unfit":
    case "comments":
    case "review":
      return one[column];
    default:
      return "";
  }
}

function counted(episodes: readonly EntryView[], of: (one: EntryView) => readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of episodes) for (const name of of(one)) if (name !== "") counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
