// The attempts that are played now, and what a person asks of one: to wait, to be taken over, to go on.

import { post } from "../api";
import { notifyError } from "../components/notices";
import type { LiveView } from "../generated/api";
import { t } from "../i18n";
import { currentUser } from "../user";

/** How often the page says that it still holds what it holds; the player gives up after 20 s. */
export const RENEW_MS = 5000;
/** How many that have ended the page goes on to show. */
export const ENDED_KEPT = 8;

export const keyOf = ({ run, episode }: Pick<LiveView, "run" | "episode">): string => `${run}/${episode}`;

export const isOver = ({ state }: LiveView): boolean => state === "lost" || state === "ended";

export const isMine = ({ who }: LiveView): boolean => who !== "" && who === currentUser.value?.name;

/** The ones to ask for next: those that are shown, without old ones that have ended. */
export function knownOf(shown: readonly LiveView[]): string {
  const over = shown.filter(isOver);
  const kept = [...shown.filter((one) => !isOver(one)), ...over.slice(-ENDED_KEPT)];
  return JSON.stringify(kept.slice(-64).map(({ run, episode }) => [run, episode]));
}

export function hold({ run, episode }: LiveView, acts: boolean): Promise<unknown> {
  return post("api/live/hold", { run, episode, acts }).catch(notifyError);
}

export function release({ run, episode }: LiveView): Promise<unknown> {
  return post("api/live/release", { run, episode }).catch(notifyError);
}

/** Says whether the agent may do once what it asks for. */
export function answer({ run, episode }: LiveView, key: string, allows: boolean): Promise<unknown> {
  return post("api/live/answer", { run, episode, key, allows }).catch(notifyError);
}

/** Says again what this person holds. */
export function renew(shown: readonly LiveView[]): void {
  for (const one of shown) if (isMine(one) && !isOver(one)) void post("api/live/hold", { run: one.run, episode: one.episode, acts: one.acts, again: true }).catch(() => undefined);
}

export function stateWords({ state, who }: LiveView): string {
  switch (state) {
    case "playing":
    case "lost":
      return t(`watch.${state}`);
    case "waits":
    case "paused":
    case "taken":
      return t(`watch.${state}`, { who });
    case "ended":
      return "";
  }
}
