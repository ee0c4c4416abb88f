// Playback: the steps in their own time, with a scrubber that shows where nobody acted for a while.

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";

import { Button } from "../components/button";
import type { EpisodeStepView } from "../generated/api";
import { t } from "../i18n";
import { clock, shownFor, spans, stepAt } from "./timeline";

const SPEEDS = [1, 2, 4] as const;

export function Playback({ steps, step, onOpen }: {
  readonly steps: readonly EpisodeStepView[];
  readonly step: number;
  readonly onOpen: (step: number) => void;
}): JSX.Element | null {
  const all = useMemo(() => spans(steps.map((one) => one.time_s)), [steps]);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<number>(1);
  const last = all.at(-1);
  const span = all[step];
  const ended = step + 1 >= all.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onOpen` is new at each step
  useEffect(() => {
    if (!playing || !span) return undefined;
    if (ended) {
      setPlaying(false);
      return undefined;
    }
    const timer = setTimeout(() => onOpen(step + 1), 1000 * shownFor(span, speed));
    return () => clearTimeout(timer);
  }, [playing, step, speed, span, ended]);
  if (!last || !span || last.start === 0) return null;
  const toggle = (): void => {
    if (!playing && ended) onOpen(0);
    setPlaying(!playing);
  };
  const percent = (seconds: number): string => `${(100 * seconds) / last.start}%`;
  return (
    <div class="playback">
      <Button label={t(playing ? "play.pause" : "play.start")} keys="P" pressed={playing} onPress={toggle} />
      <div class="scrubber">
        <div class="spans" aria-hidden="true">
          {all.map(({ start, length, idle }, index) => (
            <span key={index} class={idle ? "idle" : ""} style={{ left: percent(start), width: percent(length) }} title={idle ? t("play.idle", { seconds: Math.round(length) }) : ""} />
          ))}
        </div>
        <input
          type="range"
          min={0}
          max={last.start}
          step="any"
          value={span.start}
          aria-label={t("play.time")}
          aria-valuetext={t("play.at", { time: clock(span.start), step: step + 1, count: steps.length })}
          onInput={(event) => onOpen(stepAt(all, event.currentTarget.valueAsNumber))}
          onKeyDown={(event) => byStep(event, step, onOpen)}
        />
      </div>
      <span class="quiet time">{clock(span.start)} / {clock(last.start)}{span.idle && ` · ${t("play.idle", { seconds: Math.round(span.length) })}`}</span>
      <label class="speed">
        <span class="visually-hidden">{t("play.speed")}</span>
        <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map((one) => <option key={one} value={one}>{one}×</option>)}
        </select>
      </label>
    </div>
  );
}

/** The arrow keys go by steps: a fixed time would stay in a long one. */
function byStep(event: KeyboardEvent, step: number, onOpen: (step: number) => void): void {
  if (event.key === "ArrowRight" || event.key === "ArrowUp") onOpen(step + 1);
  else if (event.key === "ArrowLeft" || event.key === "ArrowDown") onOpen(step - 1);
  else return;
  event.preventDefault();
}
