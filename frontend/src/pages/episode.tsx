// One episode: its film strip, a step before and after its action, its details, and edits.
// The address holds the step and what is drawn, so that a link shows the same view again.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useShortcut } from "../components/keys";
import { useTitle, type PageProps } from "../components/pages";
import { Screen } from "../components/screen";
import { t } from "../i18n";
import { EditPanel } from "../library/editing";
import { StepFacts } from "../library/facts";
import { FilmStrip } from "../library/filmstrip";
import { HistoryPanel } from "../library/history";
import { ActionMarks, formatOverlays, parseOverlays, OVERLAYS, type Overlay } from "../library/marks";
import { frameUrl, type EpisodeRef } from "../library/imageurls";
import type { EpisodeStepView, EpisodeView, ScreenView, TreeView } from "../generated/api";
import { outcomeColor, formatOutcome, describeAction, formatTime } from "../library/format";
import { go, type Query } from "../router";
import "../library/library.css";

const AHEAD = 2;

export default function EpisodePage({ params, query }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const run = query.get("run") ?? undefined;
  const version = Number(query.get("version")) || undefined;
  const data = useData(() => get("api/episode", { id, run, version }), [id, run, version]);
  useTitle(data.value?.instruction || id);
  return (
    <div class="page library wide">
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
  const step = episode.steps[number];
  const open = (next: { step?: number; overlay?: ReadonlySet<Overlay>; version?: number | undefined }): void => {
    const overlay = formatOverlays(next.overlay ?? shown);
    const at = Math.min(Math.max(0, next.step ?? number), Math.max(0, count - 1));
    const place: Query = { run: episodeRef.run, version: "version" in next ? next.version : episodeRef.version, step: at || undefined, overlay };
    go(["episodes", episodeRef.id], place, { replace: true });
  };
  const turn = (overlay: Overlay): void => {
    const next = new Set(shown);
    if (!next.delete(overlay)) next.add(overlay);
    open({ overlay: next });
  };
  useShortcut("ArrowRight", () => open({ step: number + 1 }));
  useShortcut("ArrowLeft", () => open({ step: number - 1 }));
  useShortcut("Home", () => open({ step: 0 }));
  useShortcut("End", () => open({ step: count - 1 }));
  usePreloaded(episode, episodeRef, number);
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
            <span class={`tag ${outcomeColor(episode.outcome)}`}>{formatOutcome(episode.outcome)}</span>{" "}
            <span class="mono">{episode.id}</span> · {episode.task} · {episode.agent}
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
          <div class="toolbar" role="toolbar" aria-label={t("episode.tools")}>
            <Button label={t("episode.before")} keys="K" disabled={number === 0} onPress={() => open({ step: number - 1 })} />
            <Button label={t("episode.next")} keys="J" disabled={number + 1 >= count} onPress={() => open({ step: number + 1 })} />
            <span class="quiet" role="status">{t("episode.place", { step: number, last: count - 1 })}</span>
            <span class="gap" />
            {OVERLAYS.map((one, index) => (
              <Button key={one} label={t(`overlay.${one}`)} keys={String(index + 1)} pressed={shown.has(one)} onPress={() => turn(one)} />
            ))}
          </div>
          <div class="before-after">
            <Before episode={episode} episodeRef={episodeRef} step={step} shown={shown} />
            <After episode={episode} episodeRef={episodeRef} step={step} />
            <div class="side">
              <section class="panel" aria-label={t("episode.step", { step: number })}>
                <h2>{t("episode.step", { step: number })}</h2>
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

function Before({ episode, episodeRef, step, shown }: {
  readonly episode: EpisodeView;
  readonly episodeRef: EpisodeRef;
  readonly step: EpisodeStepView;
  readonly shown: ReadonlySet<Overlay>;
}): JSX.Element {
  const wanted = step.before.tree && (shown.has("tree") || shown.has("box"));
  const tree = useTree(episodeRef, episode.version, step, wanted);
  return (
    <figure>
      <figcaption>{t("episode.seen.before")}</figcaption>
      <Shown
        shot={step.before}
        episodeRef={episodeRef}
        label={t("episode.seen.before.label", { step: step.index, said: describeAction(step.action) })}
        marks={<ActionMarks action={step.action} size={step.before} tree={tree} shown={shown} />}
      />
      {wanted && shown.has("tree") && tree && <p class="quiet">{t("episode.nodes", { count: tree.nodes.length })}</p>}
    </figure>
  );
}

function After({ episode, episodeRef, step }: { readonly episode: EpisodeView; readonly episodeRef: EpisodeRef; readonly step: EpisodeStepView }): JSX.Element {
  const shot = shotAfter(episode, step.index);
  return (
    <figure>
      <figcaption>{t("episode.seen.after")}</figcaption>
      {shot ? <Shown shot={shot} episodeRef={episodeRef} label={t("episode.seen.after.label", { step: step.index })} /> : <p class="empty">{t("episode.seen.none")}</p>}
    </figure>
  );
}

function Shown({ shot, episodeRef, label, marks }: {
  readonly shot: ScreenView;
  readonly episodeRef: EpisodeRef;
  readonly label: string;
  readonly marks?: JSX.Element;
}): JSX.Element {
  // The shape of the device's screen, so that the marks' pixels are the picture's.
  return (
    <div class="shot" style={{ aspectRatio: `${shot.width} / ${shot.height}`, "--shape": String(shot.width / shot.height) }}>
      <Screen size={shot} src={frameUrl(episodeRef, shot.sha)} label={label} marks={marks} />
    </div>
  );
}

/** The screen that an action led to: its own, else the next step's, else the final one. */
function shotAfter(episode: EpisodeView, number: number): ScreenView | null {
  return episode.steps[number]?.after ?? episode.steps[number + 1]?.before ?? episode.final;
}

/** The tree of a step's screen, fetched when it is first needed. */
function useTree(episodeRef: EpisodeRef, version: number, step: EpisodeStepView, wanted: boolean): TreeView | undefined {
  const { value } = useData<{ readonly of: string; readonly tree: TreeView } | undefined>(async () => {
    if (!wanted) return undefined;
    const tree = await get("api/tree", { episode: episodeRef.id, run: episodeRef.run, version: episodeRef.version, step: step.index });
    return { of: step.before.sha, tree };
  }, [episodeRef.id, episodeRef.run, version, step.index, wanted]);
  return wanted && value?.of === step.before.sha ? value.tree : undefined;
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
