// The screens before and after a step, with what was touched.

import type { JSX } from "preact";

import { get } from "../api";
import { useData } from "../components/data";
import type { Action, ScreenView } from "../generated/api";
import { t } from "../i18n";
import { shorten } from "../library/folded";
import { describeActions } from "../library/format";
import { frameUrl } from "../library/imageurls";
import { ActionMarks } from "../library/marks";
import { href } from "../router";
import { Picture } from "../viewer/picture";

/** The class of a box of such screens; those of a phone stand beside each other on a narrow page. */
export const judgeClass = (shot: ScreenView | undefined): string => (shot && shot.height > shot.width ? "judge tall" : "judge");

const OVERLAYS = new Set(["point", "box", "arrow"] as const);

export function StepScreens({ episode, step, before, after, action, more }: {
  readonly episode: string;
  readonly step: number;
  readonly before: ScreenView;
  readonly after: ScreenView | null;
  readonly action: Action;
  readonly more: readonly Action[];
}): JSX.Element {
  const tree = useData(() => (before.tree ? get("api/tree", { episode, step }) : Promise.resolve(undefined)), [episode, step]);
  const url = (sha: string): string => frameUrl({ id: episode, run: undefined }, sha);
  return (
    <>
      <figure>
        <figcaption>
          {t("episode.seen.before")} · <a href={href(["episodes", episode], { step })}>{t("review.open", { id: episode })}</a>
        </figcaption>
        <Picture
          shot={before}
          src={url(before.sha)}
          label={t("episode.seen.before.label", { step: step + 1, said: shorten(describeActions({ action, more })) })}
          marks={<ActionMarks action={action} more={more} size={before} tree={tree.value} shown={OVERLAYS} />}
          keys
        />
      </figure>
      <figure>
        <figcaption>{t("episode.seen.after")}</figcaption>
        {after ? <Picture shot={after} src={url(after.sha)} label={t("episode.seen.after.label", { step: step + 1 })} /> : <p class="empty">{t("episode.seen.none")}</p>}
      </figure>
    </>
  );
}
