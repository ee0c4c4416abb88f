// The review queue: loads one step after the other, and sends the reviewer's decisions. Each decision
// is a line of its own on the server; undoing one appends another.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { ApiError, get, post } from "../api";
import { Button } from "../components/button";
import { Failure, useData } from "../components/data";
import { notifyError } from "../components/notices";
import type { NextReview, ReviewBody, ReviewCounts, ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { Command } from "../library/command";
import { FilmStrip } from "../library/filmstrip";
import { shellCommand } from "../library/shellcommand";
import { go } from "../router";
import { ReviewStep, type ReviewDetails } from "./step";

const FILTERS = ["open", "any", "accept", "edit", "reject"] as const;
type ReviewFilter = (typeof FILTERS)[number];

export function ReviewQueue({ annotator, store, query }: { readonly annotator: string; readonly store: string; readonly query: URLSearchParams }): JSX.Element {
  const [next, setNext] = useState<NextReview | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [done, setDone] = useState<readonly { readonly episode: string; readonly step: number }[]>([]);
  const busy = useRef(false);
  const [filter, setFilter] = useState<ReviewFilter>(() => parseFilter(query.get("show")));
  const of = next?.item?.episode;
  const episode = useData(() => (of === undefined ? Promise.resolve(undefined) : get("api/episode", { id: of })), [of]);

  const show = (found: NextReview): void => {
    setNext(found);
    setError(undefined);
    const at = found.item ? { episode: found.item.episode, step: found.item.step } : {};
    go(["review"], { annotator, show: filter === "open" ? undefined : filter, ...at }, { replace: true });
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
      ? get("api/review/next", { annotator, show: filter })
      : get("api/review/item", { annotator, episode, step: Number(query.get("step") ?? 0) });
    loading.then(show, setError);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address only names the first step
  useEffect(load, []);

  const item = next?.item ?? null;
  const move = (back: boolean): Promise<void> => runOnce(async () => {
    if (item) show(await get("api/review/next", { annotator, episode: item.episode, step: item.step, show: filter === "open" ? "any" : filter, back }));
  });
  const review = (state: ReviewBody["state"], details: ReviewDetails = {}): Promise<void> => runOnce(async () => {
    if (!item) return;
    await send(item, state, details);
    setDone((before) => [...before, { episode: item.episode, step: item.step }]);
    show(await get("api/review/next", { annotator, episode: item.episode, step: item.step, show: filter }));
  });
  const open = (step: number): Promise<void> => runOnce(async () => {
    if (item) show(await get("api/review/item", { annotator, episode: item.episode, step }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first step of another filter
  useEffect(() => {
    if (next) void runOnce(async () => show(await get("api/review/next", { annotator, show: filter })));
  }, [filter]);
  const undo = (): Promise<void> => runOnce(async () => {
    const last = done.at(-1);
    if (!last) return;
    const { item: reviewed } = await get("api/review/item", { annotator, ...last });
    if (reviewed) await send(reviewed, "withdraw");
    setDone((before) => before.slice(0, -1));
    show(await get("api/review/item", { annotator, ...last }));
  });

  if (error !== undefined) return <Failure error={error} onRetry={load} />;
  if (!next) return <p class="quiet" role="status">{t("loading")}</p>;
  return (
    <>
      <ProgressBar of={next.progress}>
        <select value={filter} aria-label={t("review.show")} onChange={(event) => setFilter(parseFilter(event.currentTarget.value))}>
          {FILTERS.map((one) => <option key={one} value={one}>{t(one === "any" ? "review.show.any" : `review.state.${one}`)}</option>)}
        </select>
      </ProgressBar>
      {item && episode.value?.id === item.episode && (
        <FilmStrip episode={episode.value} episodeRef={{ id: item.episode, run: undefined }} step={item.step} onOpen={(step) => void open(step)} />
      )}
      {item
        ? <ReviewStep key={`${item.episode} ${item.step} ${item.log.length}`} item={item} undoable={done.length > 0} onReview={review} onUndo={undo} onMove={move} />
        : (
          <div class="panel">
            <p role="status">{t(filter === "open" ? "review.done" : "review.unfit")}</p>
            <Button label={t("review.undo")} keys="Z" disabled={done.length === 0} onPress={() => void undo()} />
          </div>
        )}
      <Command line={shellCommand("tapwright", "sft", "export", store, "--annotator", annotator, "--only", "approved", "--convention", "json", "--to", "llamafactory", "-o", "sft")} />
    </>
  );
}

async function send(item: ReviewItem, state: ReviewBody["state"], details: ReviewDetails = {}): Promise<void> {
  const { annotator, episode, step, before, log } = item;
  await post("api/review", { annotator, episode, step, frame: before.sha, lines: log.length, state, ...details });
}

function parseFilter(text: string | null): ReviewFilter {
  return FILTERS.find((one) => one === text) ?? "open";
}

function ProgressBar({ of: { total, open, accept, edit, reject, invalid }, children }: {
  readonly of: ReviewCounts;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="progress">
      <progress value={total - open} max={Math.max(total, 1)} aria-label={t("review.progress")} />
      <span role="status">{t("review.counts", { done: total - open, total, accept, edit, reject, invalid })}</span>
      {children}
    </div>
  );
}
