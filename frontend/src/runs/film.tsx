// An attempt as a film strip: the screens of its steps with what was done on them; each opens its step.

import type { JSX } from "preact";

import { Screen } from "../components/screen";
import type { FilmView, FrameView } from "../generated/api";
import { t } from "../i18n";
import { shorten } from "../library/folded";
import { describeActions } from "../library/format";
import { thumbnailUrl } from "../library/imageurls";
import { ActionMarks, type Overlay } from "../library/marks";
import { href } from "../router";

const SHOWN: ReadonlySet<Overlay> = new Set<Overlay>(["point", "arrow"]);

/** One stop for the keyboard: the strip scrolls, and its links are reached from the sample's own page. */
export function Film({ run, attempt, episode, film, links = false }: {
  readonly run: string;
  readonly attempt: string;
  readonly episode: string;
  readonly film: FilmView;
  /** Whether the keyboard stops at every screen. */
  readonly links?: boolean;
}): JSX.Element {
  return (
    <div class="attempt" role="group" aria-label={t("film.attempt", { key: attempt })} tabIndex={0}>
      {film.frames.map((frame, at) => {
        const left = frame.step - (film.frames[at - 1]?.step ?? -1) - 1;
        return [
          left > 0 && <span key={`${frame.step} left`} class="quiet left">{t("film.left", { count: left })}</span>,
          <Frame key={frame.step} run={run} episode={episode} frame={frame} last={film.steps - 1} link={links} />,
        ];
      })}
    </div>
  );
}

function Frame({ run, episode, frame: { step, screen, action, more }, last, link }: {
  readonly run: string;
  readonly episode: string;
  readonly frame: FrameView;
  readonly last: number;
  readonly link: boolean;
}): JSX.Element {
  const said = action === null ? t("film.end") : t("film.number", { step: step + 1, said: shorten(describeActions({ action, more })) });
  return (
    <a class="frame" href={href(["episodes", episode], { run, step: Math.max(0, Math.min(step, last)) })} title={said} tabIndex={link ? 0 : -1}>
      <span style={{ aspectRatio: `${screen.width} / ${screen.height}` }}>
        <Screen
          size={screen}
          src={thumbnailUrl({ id: episode, run }, screen.sha)}
          label=""
          lazy
          marks={action && <ActionMarks action={action} more={more} size={screen} tree={undefined} shown={SHOWN} />}
        />
      </span>
      <span class="words">{said}</span>
    </a>
  );
}
