// The screens before and after a step in one picture: a slider between them, or what differs.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import type { ScreenView } from "../generated/api";
import { t } from "../i18n";
import { Picture } from "./picture";

export const VIEWS = ["beside", "slider", "difference"] as const;
export type View = (typeof VIEWS)[number];

export function parseView(text: string | null): View {
  return VIEWS.find((one) => one === text) ?? "beside";
}

export function Overlaid({ view, before, after, url, marks }: {
  readonly view: "slider" | "difference";
  readonly before: ScreenView;
  readonly after: ScreenView;
  readonly url: (sha: string) => string;
  /** Of the action, over both. */
  readonly marks: ComponentChildren;
}): JSX.Element {
  const [share, setShare] = useState(50);
  const same = before.sha === after.sha;
  const label = t(view === "slider" ? "view.slider.label" : "view.difference.label");
  return (
    <figure class="overlaid">
      <figcaption>{t(`view.${view}`)}</figcaption>
      {view === "slider" && (
        <label class="slider">
          <span>{t("episode.seen.before")}</span>
          <input type="range" min={0} max={100} value={share} aria-label={t("view.slider.share")} onInput={(event) => setShare(event.currentTarget.valueAsNumber)} />
          <span>{t("episode.seen.after")}</span>
        </label>
      )}
      {same && <p class="banner" role="status">{t("view.same")}</p>}
      <Picture shot={before} src={url(before.sha)} label={label} marks={marks} keys>
        <img
          class={view}
          src={url(after.sha)}
          alt=""
          draggable={false}
          decoding="async"
          style={view === "slider" ? { clipPath: `inset(0 0 0 ${100 - share}%)` } : {}}
        />
      </Picture>
    </figure>
  );
}
