// The screens of a step: before and after, side by side or in one, and the inspector of the first one's elements.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { useData } from "../components/data";
import type { EpisodeStepView, EpisodeView, ScreenView, TreeView } from "../generated/api";
import { t } from "../i18n";
import { shorten } from "../library/folded";
import { describeActions } from "../library/format";
import { frameUrl, type EpisodeRef } from "../library/imageurls";
import { ActionMarks, BoxMark, type Overlay } from "../library/marks";
import { Inspector, type Inspected } from "./inspector";
import { Overlaid, type View } from "./overlaid";
import { Picture } from "./picture";
import { smallestAt } from "./placing";

const NOTHING: Inspected = { hovered: undefined, chosen: undefined };

export interface Screens {
  readonly pictures: JSX.Element;
  /** Of the side column; null while the tree is not shown. */
  readonly inspector: JSX.Element | null;
}

/** The parts of the page that show a step's screens and their elements. */
export function useScreens({ episode, episodeRef, step, shown, view }: {
  readonly episode: EpisodeView;
  readonly episodeRef: EpisodeRef;
  readonly step: EpisodeStepView | undefined;
  readonly shown: ReadonlySet<Overlay>;
  readonly view: View;
}): Screens {
  const [inspected, setInspected] = useState<{ readonly of: string } & Inspected>({ of: "", ...NOTHING });
  const wanted = step?.before.tree === true && (shown.has("tree") || shown.has("box"));
  const tree = useTree(episodeRef, episode.version, step, wanted);
  if (!step) return { pictures: <></>, inspector: null };
  // What is chosen belongs to one screen.
  const now = inspected.of === step.before.sha ? inspected : NOTHING;
  const inspect = (next: Inspected): void => setInspected({ of: step.before.sha, ...next });
  const after = shotAfter(episode, step.index);
  const url = (sha: string): string => frameUrl(episodeRef, sha);
  const inspecting = shown.has("tree") && tree !== undefined;
  const boxes = (inspecting ? tree?.nodes : [])?.map(({ box }) => box) ?? [];
  const label = t("episode.seen.before.label", { step: step.index + 1, said: shorten(describeActions(step)) });
  const marked = [...new Set([now.hovered, now.chosen])].map((index) => boxes[index ?? -1]).filter((box) => box !== undefined);
  const marks = (
    <>
      <ActionMarks action={step.action} more={step.more} size={step.before} tree={tree} shown={shown} />
      {marked.map((box, index) => <BoxMark key={index} name="inspected" box={box} size={step.before} />)}
    </>
  );
  const pictures = view !== "beside" && after ? (
    <Overlaid view={view} before={step.before} after={after} url={url} marks={marks} />
  ) : (
    <>
      <figure>
        <figcaption>{t("episode.seen.before")}</figcaption>
        <Picture
          shot={step.before}
          src={url(step.before.sha)}
          label={label}
          keys
          marks={marks}
          {...(inspecting
            ? {
                onHover: (at) => inspect({ ...now, hovered: at && smallestAt(boxes, at) }),
                onPick: (at) => inspect({ ...now, chosen: smallestAt(boxes, at) }),
              }
            : {})}
        />
        {inspecting && <p class="quiet">{t("episode.nodes", { count: boxes.length })}</p>}
      </figure>
      <After shot={after} step={step} url={url} />
    </>
  );
  return { pictures, inspector: inspecting && tree ? <Inspector key={step.before.sha} tree={tree} inspected={now} onInspect={inspect} /> : null };
}

function After({ shot, step, url }: { readonly shot: ScreenView | null; readonly step: EpisodeStepView; readonly url: (sha: string) => string }): JSX.Element {
  return (
    <figure>
      <figcaption>{t("episode.seen.after")}</figcaption>
      {shot ? <Picture shot={shot} src={url(shot.sha)} label={t("episode.seen.after.label", { step: step.index + 1 })} /> : <p class="empty">{t("episode.seen.none")}</p>}
    </figure>
  );
}

/** The screen that an action led to: its own, else the next step's, else the final one. */
function shotAfter(episode: EpisodeView, number: number): ScreenView | null {
  return episode.steps[number]?.after ?? episode.steps[number + 1]?.before ?? episode.final;
}

/** The tree of a step's screen, fetched when it is first needed. */
function useTree(episodeRef: EpisodeRef, version: number, step: EpisodeStepView | undefined, wanted: boolean): TreeView | undefined {
  const sha = step?.before.sha;
  const { value } = useData<{ readonly of: string | undefined; readonly tree: TreeView } | undefined>(async () => {
    if (!wanted || !step) return undefined;
    const tree = await get("api/tree", { episode: episodeRef.id, run: episodeRef.run, version: episodeRef.version, step: step.index });
    return { of: sha, tree };
  }, [episodeRef.id, episodeRef.run, version, step?.index, wanted]);
  return wanted && value?.of === sha ? value?.tree : undefined;
}
