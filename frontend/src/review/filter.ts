// The filter of the review queue, which is in the address: `?show=any&code=HINDSIGHT&waiting_h=24`.

import type { Query } from "../router";

export const STATES = ["open", "any", "accept", "edit", "reject"] as const;
export type ShownState = (typeof STATES)[number];

/** The ages that the server counts, in hours. */
export const AGES_H = [1, 24, 168, 720] as const;
export type Age = (typeof AGES_H)[number];

/** "", false and 0 leave a condition out. */
export interface StepFilter {
  readonly show: ShownState;
  readonly code: string;
  readonly app: string;
  readonly differs: boolean;
  readonly waiting_h: Age | 0;
}

export function parseFilter(query: URLSearchParams): StepFilter {
  const hours = Number(query.get("waiting_h"));
  return {
    show: STATES.find((one) => one === query.get("show")) ?? "open",
    code: query.get("code") ?? "",
    app: query.get("app") ?? "",
    differs: query.get("differs") === "true",
    waiting_h: AGES_H.find((one) => one === hours) ?? 0,
  };
}

/** The filter as the parameters of an address, without what leaves nothing out. */
export function filterQuery({ show, code, app, differs, waiting_h }: StepFilter): Query {
  return {
    show: show === "open" ? undefined : show,
    code: code || undefined,
    app: app || undefined,
    differs: differs || undefined,
    waiting_h: waiting_h || undefined,
  };
}

/** The values of a facet with their counts; the chosen one is there, too, when it shows nothing. */
export function facetOptions(counts: Readonly<Record<string, number>>, chosen: string): [value: string, count: number][] {
  const options = Object.entries(counts);
  return chosen === "" || chosen in counts ? options : [...options, [chosen, 0]];
}
