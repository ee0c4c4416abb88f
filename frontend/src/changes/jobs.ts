// Work on many episodes that goes on behind the page: it is followed to its end, also after a reload.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import { ApiError, fileUrl, get, post } from "../api";
import { notify, notifyError, type NoticeAction } from "../components/notices";
import type { JobView } from "../generated/api";
import { t } from "../i18n";
import { explainError } from "../i18n/errors";

const ASK_MS = 700;
const AWAY_MS = 5000;

/** The jobs that go on. */
export const openJobs = signal<readonly JobView[]>([]);

/** How many changes have ended since the page was loaded. */
export const endedChanges = signal(0);

/** Follows a job until it ends, and tells what became of it; following it twice is following it once. */
export function follow(job: JobView): void {
  if (openJobs.value.some(({ id }) => id === job.id)) return;
  if (!goesOn(job)) end(job);
  else {
    openJobs.value = [...openJobs.value, job];
    setTimeout(() => void ask(job.id), ASK_MS);
  }
}

/** Follows the jobs that other pages have begun, once this page is shown. */
export function useOpenJobs(shown: boolean): void {
  useEffect(() => {
    // The page itself tells what the server lacks.
    if (shown) get("api/changes").then(({ jobs }) => jobs.filter(goesOn).forEach(follow), () => undefined);
  }, [shown]);
}

/** Calls `reload` whenever a change has ended. */
export function useEndedChanges(reload: () => void): void {
  const ended = endedChanges.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded is loaded by another effect
  useEffect(() => {
    if (ended > 0) reload();
  }, [ended]);
}

export function undoChange(change: string): void {
  post("api/changes/undo", { change }).then(follow, notifyError);
}

export function stopJob(id: string): void {
  post("api/jobs/stop", { id }).catch(notifyError);
}

/** How many were looked at, and neither changed nor left for a reason. */
export function countSame({ done, changed, left }: Pick<JobView, "done" | "changed" | "left">): number {
  return Math.max(0, done - changed - countLeft({ left }));
}

export function countLeft({ left }: Pick<JobView, "left">): number {
  return Object.values(left).reduce((sum, count) => sum + count, 0);
}

export function downloadFile(id: string): void {
  const address = fileUrl("api/jobs/file", { id });
  if (address !== null) location.assign(address);
}

function goesOn({ state }: JobView): boolean {
  return state === "waiting" || state === "running";
}

async function ask(id: string): Promise<void> {
  try {
    const job = await get("api/jobs", { id });
    const others = openJobs.value.filter((one) => one.id !== id);
    if (goesOn(job)) {
      openJobs.value = openJobs.value.map((one) => (one.id === id ? job : one));
      setTimeout(() => void ask(id), ASK_MS);
    } else {
      openJobs.value = others;
      end(job);
    }
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) {
      setTimeout(() => void ask(id), AWAY_MS); // the server is away, and may have it still
      return;
    }
    openJobs.value = openJobs.value.filter((one) => one.id !== id);
    endedChanges.value++;
    notifyError(error);
  }
}

function end(job: JobView): void {
  // An export changes nothing: what it counts is written.
  const changed = job.kind === "export" ? 0 : job.changed;
  if (job.kind !== "export") endedChanges.value++;
  const left = countLeft(job);
  if (left > 0) {
    const reasons = new Set(Object.keys(job.left).map((code) => explainError(code, {}).text));
    notify("error", t("bulk.left", { count: left }), [...reasons].join(" "));
  }
  const stopped = t("bulk.stopped", { done: job.done, total: job.total, count: changed });
  if (job.error !== null) {
    const { text, hint } = explainError(job.error.code, job.error.values);
    notify("error", text, `${hint} ${stopped}`, job.error.message, actionOf(job));
  } else if (job.state === "ended") {
    const same = job.kind === "export" ? 0 : countSame(job);
    notify("success", t(`bulk.done.${job.kind}`, { count: job.changed, file: job.file }), same > 0 ? t("bulk.same", { count: same }) : "", "", actionOf(job));
  } else notify("info", stopped, "", "", actionOf(job));
}

function actionOf(job: JobView): NoticeAction | undefined {
  if (job.file !== "") return { label: t("bulk.files.get"), run: () => downloadFile(job.id), onlyHere: true };
  if (job.change !== "" && job.changed > 0) return { label: t("bulk.undo"), run: () => undoChange(job.change) };
  return undefined;
}
