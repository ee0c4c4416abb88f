// How many demonstrations were finished in this tab.

import { signal } from "@preact/signals";

const COUNT = "tapwright.recorded";

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
