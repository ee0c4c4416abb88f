// The film strip: a thumbnail for each step, of which only those near the visible part are there.

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { Thumb } from "../components/thumb";
import { t } from "../i18n";
import { thumbnailUrl, type EpisodeRef } from "./imageurls";
import type { EpisodeView } from "../generated/api";
import { shorten } from "./folded";
import { describeActions } from "./format";

const CELL_PX = 76;
const AROUND = 6;

export function FilmStrip({ episode, episodeRef, step, onOpen }: {
  readonly episode: EpisodeView;
  readonly episodeRef: EpisodeRef;
  readonly step: number;
  readonly onOpen: (step: number) => void;
}): JSX.Element {
  const strip = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ left: 0, width: 1240 });
  const look = (): void => {
    const { scrollLeft, clientWidth } = strip.current ?? { scrollLeft: 0, clientWidth: 0 };
    setView((before) => (before.left === scrollLeft && before.width === clientWidth ? before : { left: scrollLeft, width: clientWidth }));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: an edit changes which cells there are
  useLayoutEffect(() => {
    const element = strip.current;
    if (!element) return;
    const left = step * CELL_PX;
    if (left < element.scrollLeft) element.scrollLeft = left - CELL_PX;
    else if (left + CELL_PX > element.scrollLeft + element.clientWidth) element.scrollLeft = left - element.clientWidth + 2 * CELL_PX;
    look();
  }, [step, episode]);
  const first = Math.max(0, Math.floor(view.left / CELL_PX) - AROUND);
  const last = Math.min(episode.steps.length, Math.ceil((view.left + view.width) / CELL_PX) + AROUND);
  return (
    <div class="film" role="group" aria-label={t("film.label")} ref={strip} onScroll={look}>
      <div style={{ width: `${episode.steps.length * CELL_PX}px` }}>
        {episode.steps.slice(first, last).map((one) => (
          <button
            key={one.index}
            type="button"
            class={`cell${one.refused ? " refused" : ""}${one.reward > 0 ? " rewarded" : ""}`}
            style={{ left: `${one.index * CELL_PX}px` }}
            aria-current={one.index === step ? "step" : undefined}
            aria-label={t("film.step", { step: one.index + 1, said: shorten(describeActions(one)) })}
            title={shorten(describeActions(one))}
            onClick={() => onOpen(one.index)}
          >
            <Thumb src={thumbnailUrl(episodeRef, one.before.sha)} />
            <span>{one.index + 1}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
