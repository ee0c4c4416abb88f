// One episode: its film strip, a step before and after its action, its details, and edits.
// The address holds the step and what is drawn, so that a link shows the same view again.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useShortcut } from "../components/keys";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { EditPanel } from "../editing/panel";
import { StepFacts } from "../library/facts";
import { FilmStrip } from "../library/filmstrip";
import { HistoryPanel } from "../editing/history";
import { formatOverlays, parseOverlays, OVERLAYS, type Overlay } from "../library/marks";
import { frameUrl, type EpisodeRef } from "../library/imageurls";
import { SaidOfIt } from "../library/saidofit";
import type { EpisodeView } from "../generated/api";
import { formatTime } from "../library/format";
import { go, href, type Query } from "../router";
import { hasRole } from "../user";
import { parseView, VIEWS, type View } from "../viewer/overlaid";
import { Playback } from "../viewer/playback";
import { useRoomBelow } from "../viewer/roombelow";
import { useScreens } from "../viewer/screens";
import "../editing/editing.css";
import "../library/library.css";
import { Outcome } from "../library/outcome";
import "../viewer/viewer.css";

const AHEAD = 2;

export default function EpisodePage({ params, query }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const run = query.get("run") ?? undefined;
  const version = Number(query.get("version")) || undefined;
  const data = useData(() => get("api/episode", { id, run, version }), [id, run, version]);
  useTitle(data.value?.instruction || id);
  return (
    <div class="page library wide editing-pages library-pages viewer-pages">
      {data.value === undefined && <h1>{id}</h1>}
      <Data data={data}>{(episode) => <Viewer episode={episode} episodeRef={{ id, run, version }} query={query} reload={data.reload} />}</Data>
    </div>
  );
}

function Viewer({ episode, episodeRef, query, reload }: {
  readonly episode: EpisodeView;
  readonly episodeRef: EpisodeRef;
  readonly query: URLSearchParams;
  readonly reload: () => void;
}): JSX.Element {
  const count = episode.steps.length;
  const number = Math.min(Math.max(0, Number(query.get("step")) || 0), Math.max(0, count - 1));
  const shown = parseOverlays(query);
  const view = parseView(query.get("view"));
  const step = episode.steps[number];
  const open = (next: { step?: number; overlay?: ReadonlySet<Overlay>; view?: View; version?: number | undefined }): void => {
    const overlay = formatOverlays(next.overlay ?? shown);
    const at = Math.min(Math.max(0, next.step ?? number), Math.max(0, count - 1));
    const seen = next.view ?? view;
    const place: Query = { run: episodeRef.run, version: "version" in next ? next.version : episodeRef.version, step: at || undefined, overlay, view: seen === "beside" ? undefined : seen };
    go(["episodes", episodeRef.id], place);
  };
  const turn = (overlay: Overlay): void => {
    const next = new Set(shown);
    if (!next.delete(overlay)) next.add(overlay);
    open({ overlay: next });
  };
  useShortcut("ArrowRight", t("episode.next"), () => open({ step: number + 1 }));
  useShortcut("ArrowLeft", t("episode.before"), () => open({ step: number - 1 }));
  useShortcut("Home", t("episode.first"), () => open({ step: 0 }));
  useShortcut("End", t("episode.last"), () => open({ step: count - 1 }));
  usePreloaded(episode, episodeRef, number);
  const { pictures, inspector } = useScreens({ episode, episodeRef, step, shown, view });
  const box = useRoomBelow();
  const edited = (): void => {
    if (episodeRef.version !== undefined) open({ version: undefined });
    reload();
  };
  return (
    <>
      <header class="head">
        <div>
          <h1>{episode.instruction || episode.id}</h1>
          <p class="quiet">
            <Outcome of={episode} />{" "}
            <span class="mono">{episode.id}</span> · {episode.task} · {episode.agent}
            {episode.task && episodeRef.run === undefined && hasRole("reviewer") && <> · <a href={href(["takes"], { task: episode.task })}>{t("takes.link")}</a></>}
            {episode.device && ` · ${episode.device}`}{episode.created && ` · ${formatTime(episode.created)}`}
          </p>
        </div>
      </header>
      {episode.version !== episode.current && (
        <p class="banner warn" role="status">{t("episode.old", { version: episode.version, current: episode.current })}{" "}
          <Button label={t("episode.latest")} onPress={() => open({ version: undefined })} />
        </p>
      )}
      {step === undefined ? <p class="panel">{t("episode.empty")}</p> : (
        <>
          <FilmStrip episode={episode} episodeRef={episodeRef} step={number} onOpen={(next) => open({ step: next })} />
          <Playback steps={episode.steps} step={number} onOpen={(next) => open({ step: next })} />
          <div class="toolbar" role="toolbar" aria-label={t("episode.tools")}>
            <Button label={t("episode.before")} keys="K" disabled={number === 0} onPress={() => open({ step: number - 1 })} />
            <Button label={t("episode.next")} keys="J" disabled={number + 1 >= count} onPress={() => open({ step: number + 1 })} />
            <span class="quiet" role="status">{t("episode.place", { step: number + 1, count })}</span>
            <span class="gap" />
            {OVERLAYS.map((one, index) => (
              <Button key={one} label={t(`overlay.${one}`)} keys={String(index + 1)} pressed={shown.has(one)} onPress={() => turn(one)} />
            ))}
            <label>
              <span class="visually-hidden">{t("view.title")}</span>
              <select value={view} onChange={(event) => open({ view: parseView(event.currentTarget.value) })}>
                {VIEWS.map((one) => <option key={one} value={one}>{t(`view.${one}`)}</option>)}
              </select>
            </label>
          </div>
          <div class="before-after" ref={box}>
            {pictures}
            <div class="side">
              {inspector}
              <SaidOfIt of={episode} />
              <section class="panel" aria-label={t("episode.step", { step: number + 1 })}>
                <h2>{t("episode.step", { step: number + 1 })}</h2>
                <StepFacts step={step} />
              </section>
              {episode.may_edit && episode.version === episode.current && (
                <EditPanel episode={episode} step={step} onEdited={edited} />
              )}
              <HistoryPanel episode={episode} onChanged={edited} onLook={(chosen) => open({ version: chosen })} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

/** Preloads the next screens. */
function usePreloaded(episode: EpisodeView, episodeRef: EpisodeRef, number: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the reference changes with the episode
  useEffect(() => {
    for (const step of episode.steps.slice(number + 1, number + 1 + AHEAD)) {
      const image = new Image();
      image.src = frameUrl(episodeRef, step.before.sha);
      void image.decode().catch(() => undefined); // the error is reported where the picture is shown
    }
  }, [episode, number]);
}
