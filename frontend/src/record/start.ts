// Demonstrations begin here: a device with a task, an instruction, or an item of the team's queue.
// What one was begun with is kept in this tab, so that "next" and "again" mean the same.

import { signal } from "@preact/signals";

import { post } from "../api";
import type { BeginBody, LeaseView } from "../generated/api";

/** A device with a task, an instruction or an item of the queue. */
export type Start = BeginBody;

const STARTED = "tapwright.started.";
const COUNT = "tapwright.recorded";

/** Opens a session; its id. */
export async function start(begun: Start): Promise<string> {
  const { session } = await post("api/sessions", begun);
  sessionStorage.setItem(STARTED + session, JSON.stringify(begun));
  return session;
}

/** What a session of this tab was begun with; null for one that was begun elsewhere. */
export function startOf(session: string): Start | null {
  const kept = sessionStorage.getItem(STARTED + session);
  return kept === null ? null : (JSON.parse(kept) as Start);
}

/** Takes the next item of one's queue, or this one; null when there is none. */
export async function takeItem(item?: number): Promise<LeaseView | null> {
  return (await post("api/queue/lease", item === undefined ? {} : { item })).item;
}

/** How many demonstrations were finished in this tab. */
export const recordedHere = signal(Number(sessionStorage.getItem(COUNT) ?? 0));

/** Counts a finished session, once however often it is seen. */
export function countRecorded(session: string): void {
  const seen = `tapwright.finished.${session}`;
  if (sessionStorage.getItem(seen) !== null) return;
  sessionStorage.setItem(seen, "1");
  recordedHere.value += 1;
  sessionStorage.setItem(COUNT, String(recordedHere.value));
}
