// The filter of the queue of recordings, which is in the address: `?show=again&agent=human/anna`.

import type { Query } from "../router";
import { AGES_H, type Age } from "./filter";

export const RECORDING_STATES = ["open", "any", "accept", "reject", "again"] as const;
export type ShownRecordings = (typeof RECORDING_STATES)[number];

export const RECORDING_FACETS = ["agent", "task", "app"] as const;

/** "" and 0 leave a condition out. */
export interface RecordingFilter {
  readonly show: ShownRecordings;
  readonly agent: string;
  readonly task: string;
  readonly app: string;
  readonly waiting_h: Age | 0;
}

export function parseRecordingFilter(query: URLSearchParams): RecordingFilter {
  const hours = Number(query.get("waiting_h"));
  return {
    show: RECORDING_STATES.find((one) => one === query.get("show")) ?? "open",
    agent: query.get("agent") ?? "",
    task: query.get("task") ?? "",
    app: query.get("app") ?? "",
    waiting_h: AGES_H.find((one) => one === hours) ?? 0,
  };
}

/** The filter as the parameters of an address, without what leaves nothing out. */
export function recordingFilterQuery({ show, agent, task, app, waiting_h }: RecordingFilter): Query {
  return {
    show: show === "open" ? undefined : show,
    agent: agent || undefined,
    task: task || undefined,
    app: app || undefined,
    waiting_h: waiting_h || undefined,
  };
}
