// The review queue: loads one step after the other, and sends the reviewer's decisions. Each decision
// is a line of its own on the server; undoing one appends another. The filter is in the address.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { ApiError, get, post } from "../api";
import { Button } from "../components/button";
import { Failure, useData } from "../components/data";
import { notify, notifyError } from "../components/notices";
import type { AnnotatorView, GroupResult, NextReview, ReviewBody, ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { Command } from "../library/command";
import { FilmStrip } from "../library/filmstrip";
import { shellCommand } from "../library/shellcommand";
import { go } from "../router";
import { AnnotatorPicker } from "./annotatorpicker";
import { BulkAccept } from "./bulk";
import { filterQuery, parseFilter } from "./filter";
import { FilterBar } from "./filterbar";
import { GroupMenu } from "./groupmenu";
import { ProgressBar } from "./progress";
import { ReviewStep, type ReviewActions, type ReviewDetails } from "./step";

/** Where a review was made. */
interface Place {
  readonly episode: string;
  readonly step: number;
}

/** What was done last, to be undone: the review of a step, or a group of reviews; those of a decision have a place. */
type Done = (Place & { readonly group?: string }) | { readonly group: string };

export function ReviewQueue({ annotator, annotators, store, query }: {
  readonly annotator: string;
  readonly annotators: readonly AnnotatorView[];
  readonly store: string;
  readonly query: URLSearchParams;
}): JSX.Element {
  const [next, setNext] = useState<NextReview | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [done, setDone] = useState<readonly Done[]>([]);
  const [draft, setDraft] = useState("");
  const busy = useRef(false);
  const filter = parseFilter(query);
  const selected = filterQuery(filter);
  const filterKey = JSON.stringify(selected);
  const of = next?.item?.episode;
  const episode = useData(() => (of === undefined ? Promise.resolve(undefined) : get("api/episode", { id: of })), [of]);
  const facets = useData(() => get("api/review/facets", { annotator, ...selected }), [filterKey, JSON.stringify(next?.progress)]);

  const show = (found: NextReview): void => {
    setNext(found);
    setError(undefined);
    const at = found.item ? { episode: found.item.episode, step: found.item.step } : {};
    go(["review"], { annotator, ...selected, ...at });
  };
  const runOnce = async (work: () => Promise<void>): Promise<void> => {
    if (busy.current) return; // a key that is pressed twice reviews once
    busy.current = true;
    try {
      await work();
    } catch (reason) {
      notifyError(reason);
      // Somebody else has reviewed it: what they did is shown, and the next decision is about that.
      if (reason instanceof ApiError && reason.status === 409) await reloadItem();
    } finally {
      busy.current = false;
    }
  };
  const reloadItem = async (): Promise<void> => {
    const at = next?.item;
    if (at) await get("api/review/item", { annotator, episode: at.episode, step: at.step }).then(show, setError);
  };
  const load = (): void => {
    const episode = query.get("episode");
    const loading = episode === null
      ? get("api/review/next", { annotator, ...selected })
      : get("api/review/item", { annotator, episode, step: Number(query.get("step") ?? 0) });
    loading.then(show, setError);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first step of another filter
  useEffect(load, [filterKey]);

  const item = next?.item ?? null;
  /** What was typed is never lost: it is added before anything else happens to the step. */
  const addDraft = async (to: ReviewItem): Promise<void> => {
    if (draft.trim() === "") return;
    const { comments } = await post("api/review/comment", { ...placeOf(to), text: draft });
    setDraft("");
    setNext((before) => (before?.item && { ...before, item: { ...before.item, comments } }) ?? before);
  };
  const following = (at: ReviewItem): Promise<NextReview> =>
    get("api/review/next", { annotator, episode: at.episode, step: at.step, ...selected });
  /** Shows the next step; Undo is for what was done before it, and not offered on what goes. */
  const goOn = async (from: ReviewItem, what: Done): Promise<void> => {
    try {
      show(await following(from));
    } finally {
      setDone((before) => [...before, what]);
    }
  };
  const actions: ReviewActions = {
    onMove: (back) => runOnce(async () => {
      if (!item) return;
      await addDraft(item);
      // Skipping what is open goes through all, so that one can look around.
      const shown = filterKey === "{}" ? "any" : filter.show;
      show(await get("api/review/next", { annotator, episode: item.episode, step: item.step, ...selected, show: shown, back }));
    }),
    onReview: (state, details = {}) => runOnce(async () => {
      if (!item) return;
      await addDraft(item);
      await send(item, state, details);
      await goOn(item, { episode: item.episode, step: item.step });
    }),
    onDecide: (decision) => runOnce(async () => {
      if (!item) return;
      await addDraft(item);
      const lines = Object.fromEntries([[annotator, item.log.length], ...item.others.map((one) => [one.annotator, one.lines])]);
      const { group } = await post("api/review/decide", { ...placeOf(item), lines, ...decision });
      await goOn(item, { episode: item.episode, step: item.step, group });
    }),
    onComment: () => runOnce(async () => {
      if (item) await addDraft(item);
    }),
    onUndo: () => runOnce(async () => {
      const last = done.at(-1);
      if (!last) return;
      if (!("step" in last)) await undoGroup(last.group, item);
      else if (last.group !== undefined) await undoGroup(last.group, last);
      else {
        const { item: reviewed } = await get("api/review/item", { annotator, episode: last.episode, step: last.step });
        if (reviewed) await send(reviewed, "withdraw");
        show(await get("api/review/item", { annotator, episode: last.episode, step: last.step }));
      }
      setDone((before) => before.slice(0, -1));
    }),
  };
  const undoGroup = async (group: string, at: Place | null): Promise<void> => {
    const { count, kept } = await post("api/review/undo", { annotator, group });
    notify("success", t(kept > 0 ? "review.group.kept" : "review.group.undone", { count, kept }));
    show(await (at ? get("api/review/item", { annotator, episode: at.episode, step: at.step }) : get("api/review/next", { annotator, ...selected })));
  };
  const takeBack = (group: string): Promise<void> => runOnce(async () => {
    await undoGroup(group, item);
    setDone((before) => before.filter((one) => one.group !== group));
  });
  const accepted = ({ group, count, kept }: GroupResult): void => {
    setDone((before) => [...before, { group }]);
    const run = (): void => void takeBack(group);
    notify("success", t(kept > 0 ? "review.bulk.kept" : "review.bulk.done", { count, kept }), "", "", { label: t("review.undo"), run });
    void runOnce(async () => show(await get("api/review/next", { annotator, ...selected })));
  };
  const open = (step: number): Promise<void> => runOnce(async () => {
    if (!item) return;
    await addDraft(item);
    show(await get("api/review/item", { annotator, episode: item.episode, step }));
  });

  if (error !== undefined) return <Failure error={error} onRetry={load} />;
  if (!next) return <p class="quiet" role="status">{t("loading")}</p>;
  return (
    <>
      <ProgressBar of={next.progress} />
      <FilterBar filter={filter} facets={facets.value} onChange={(changed) => go(["review"], { annotator, ...filterQuery(changed) })} picker={<AnnotatorPicker annotators={annotators} chosen={annotator} progress={next.progress} filter={filter} />}>
        <BulkAccept annotator={annotator} filter={filter} onAccepted={accepted} />
        <GroupMenu annotator={annotator} onUndo={takeBack} />
      </FilterBar>
      {item && episode.value?.id === item.episode && (
        <FilmStrip episode={episode.value} episodeRef={{ id: item.episode, run: undefined }} step={item.step} onOpen={(step) => void open(step)} />
      )}
      {item
        ? <ReviewStep key={`${item.episode} ${item.step} ${item.log.length}`} item={item} undoable={done.length > 0} draft={draft} onDraft={setDraft} actions={actions} />
        : (
          <div class="panel">
            <p role="status">{t(filterKey === "{}" ? "review.done" : "review.unfit")}</p>
            <Button label={t("review.undo")} keys="Z" disabled={done.length === 0} onPress={() => void actions.onUndo()} />
          </div>
        )}
      <Command line={shellCommand("tapwright", "sft", "export", store, "--annotator", annotator, "--only", "approved", "--convention", "json", "--to", "llamafactory", "-o", "sft")} />
    </>
  );
}

/** The step as a change of it names it. */
function placeOf({ annotator, episode, step, before }: ReviewItem): Pick<ReviewBody, "annotator" | "episode" | "step" | "frame"> {
  return { annotator, episode, step, frame: before.sha };
}

async function send(item: ReviewItem, state: ReviewBody["state"], details: ReviewDetails = {}): Promise<void> {
  await post("api/review", { ...placeOf(item), lines: item.log.length, state, ...details });
}
