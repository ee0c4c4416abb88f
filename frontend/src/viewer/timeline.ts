// The time of an episode as playback shows it: how long each step's screen stood, and where nobody acted.

/** Longer than this a screen stands idle. */
export const IDLE_S = 5;
/** How long an idle screen is shown when an episode is played. */
const PLAYED_IDLE_S = 1;

export interface Span {
  /** In seconds from the first step. */
  readonly start: number;
  readonly length: number;
  readonly idle: boolean;
}

/** The span of each step: until the next one; the last has none. Times that run backwards are none. */
export function spans(times: readonly number[]): Span[] {
  const first = times[0] ?? 0;
  let latest = first;
  return times.map((time, index) => {
    const start = Math.max(latest, time);
    latest = start;
    const length = Math.max(0, (times[index + 1] ?? start) - start);
    return { start: start - first, length, idle: length > IDLE_S };
  });
}

/** How long playback shows a step, in seconds. */
export function shownFor({ length, idle }: Span, speed: number): number {
  return Math.max(0.2, (idle ? PLAYED_IDLE_S : length) / speed);
}

/** The step whose screen stood at a time. */
export function stepAt(all: readonly Span[], seconds: number): number {
  return Math.max(0, all.findLastIndex(({ start }) => start <= seconds));
}

/** 75 as "1:15". */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
