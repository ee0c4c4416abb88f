// Starts demonstrations: a device with a task, an instruction, or an item of the team's queue. What one
// was started with is kept in this tab, for "next" and "again".

import { signal } from "@preact/signals";

import { post } from "../api";
import type { BeginBody, LeaseView } from "../generated/api";

/** A device with a task, an instruction or an item of the queue. */
export type Start = BeginBody;

const STARTED = "tapwright.started.";
const COUNT = "tapwright.recorded";

/** Opens a session; returns its id. */
export async function start(body: Start): Promise<string> {
  const { session } = await post("api/sessions", body);
  sessionStorage.setItem(STARTED + session, JSON.stringify(body));
  return session;
}

/** What a session of this tab was started with; null for one that was started elsewhere. */
export function readStart(session: string): Start | null {
  const kept = sessionStorage.getItem(STARTED + session);
  return kept === null ? null : (JSON.parse(kept) as Start);
}

/** Leases the next item of the queue, or this one; null when there is none. */
export async function leaseItem(item?: number): Promise<LeaseView | null> {
  return (await post("api/queue/lease", item === undefined ? {} : { item })).item;
}

/** How many demonstrations were finished in this tab. */
export const recordedCount = signal(Number(sessionStorage.getItem(COUNT) ?? 0));

/** Counts a finished session, once however often it is seen. */
export function countRecorded(session: string): void {
  const seen = `tapwright.finished.${session}`;
  if (sessionStorage.getItem(seen) !== null) return;
  sessionStorage.setItem(seen, "1");
  recordedCount.value += 1;
  sessionStorage.setItem(COUNT, String(recordedCount.value));
}
