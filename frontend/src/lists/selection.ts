// Which episodes of a list are chosen: some of the page, or all that the filter finds.

import type { EpisodesFilter } from "./episodelist";

/** Ids of the page, or "all" that match. */
export type Chosen = ReadonlySet<string> | "all";

export const NOTHING: Chosen = new Set();

export function isChosen(chosen: Chosen, id: string): boolean {
  return chosen === "all" || chosen.has(id);
}

/** With an episode more, or less; out of all the others of the page stay. */
export function turned(chosen: Chosen, id: string, page: readonly string[]): Chosen {
  const next = new Set(chosen === "all" ? page : chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

export interface SelectionBody {
  ids?: string[];
  filter?: EpisodesFilter;
  stamp?: string;
}

/** What the API takes for the chosen episodes. */
export function selectionBody(chosen: Chosen, filter: EpisodesFilter, stamp: string): SelectionBody {
  return chosen === "all" ? { filter, stamp } : { ids: [...chosen] };
}

/** The words of a text as tags. */
export function parseTags(text: string): string[] {
  return [...new Set(text.split(/[\s,，]+/).filter((word) => word !== ""))];
}
