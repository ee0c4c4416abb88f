// Starts demonstrations: a device with a task, an instruction, or an item of the team's queue; and finds
// what comes after one.

import { get, post } from "../api";
import type { BeginBody, StateMessage } from "../generated/api";

/** A device with a task, an instruction or an item of the queue. */
export type Start = BeginBody;

/** Opens a session, for an item of the queue once it is leased; returns its id. */
export async function start(body: Start): Promise<string> {
  if (body.assignment != null) await leaseItem(body.assignment);
  return (await post("api/sessions", body)).session;
}

/** Resumes a session whose device was released. */
export async function resumeReleased(session: string): Promise<void> {
  await post("api/sessions/resume", { session });
}

/** What a session was started with, and would be again. */
export function startOf({ device, task, suite, assignment }: StateMessage): Start {
  return task.id ? { device, suite, task: task.id, assignment } : { device, instruction: task.instruction };
}

/** What comes after a demonstration: a start, or why there is none. */
export type Following = { readonly start: Start; readonly words: string } | "done" | "own";

/**
 * What comes after a demonstration: the next item of the queue where it came from it, else the next
 * task of its suite that is not recorded. "done" is when nothing is left, "own" when it was of no task.
 */
export async function findFollowing({ device, suite, task, assignment }: Start): Promise<Following> {
  if (assignment != null) {
    const { item } = await get("api/queue/next");
    return item ? { start: { device, suite: item.suite, task: item.task, assignment: item.item }, words: item.instruction } : "done";
  }
  if (!suite || !task) return "own";
  const { next } = await get("api/tasks/progress", { suite, after: task });
  return next ? { start: { device, suite, task: next.id }, words: next.instruction } : "done";
}

/** Leases an item of the queue. */
export async function leaseItem(item: number): Promise<void> {
  await post("api/queue/lease", { item });
}
