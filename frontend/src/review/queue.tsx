// The review queue: loads one step after the other, and sends the reviewer's decisions. Each decision
// is a line of its own on the server; undoing one appends another.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Failure } from "../components/data";
import { notifyError } from "../components/notices";
import type { NextReview, ReviewBody, ReviewCounts, ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { Command } from "../library/command";
import { shellCommand } from "../library/shellcommand";
import { go } from "../router";
import { ReviewStep, type ReviewDetails } from "./step";

export function ReviewQueue({ annotator, store, query }: { readonly annotator: string; readonly store: string; readonly query: URLSearchParams }): JSX.Element {
  const [next, setNext] = useState<NextReview | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [done, setDone] = useState<readonly { readonly episode: string; readonly step: number }[]>([]);
  const busy = useRef(false);

  const show = (found: NextReview): void => {
    setNext(found);
    setError(undefined);
    const at = found.item ? { episode: found.item.episode, step: found.item.step } : {};
    go(["review"], { annotator, ...at }, { replace: true });
  };
  const runOnce = async (work: () => Promise<void>): Promise<void> => {
    if (busy.current) return; // a key that is pressed twice reviews once
    busy.current = true;
    try {
      await work();
    } catch (reason) {
      notifyError(reason);
    } finally {
      busy.current = false;
    }
  };
  const load = (): void => {
    const episode = query.get("episode");
    const loading = episode === null
      ? get("api/review/next", { annotator })
      : get("api/review/item", { annotator, episode, step: Number(query.get("step") ?? 0) });
    loading.then(show, setError);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address only names the first step
  useEffect(load, []);

  const item = next?.item ?? null;
  const move = (back: boolean): Promise<void> => runOnce(async () => {
    if (item) show(await get("api/review/next", { annotator, episode: item.episode, step: item.step, show: "any", back }));
  });
  const review = (state: ReviewBody["state"], details: ReviewDetails = {}): Promise<void> => runOnce(async () => {
    if (!item) return;
    await send(item, state, details);
    setDone((before) => [...before, { episode: item.episode, step: item.step }]);
    show(await get("api/review/next", { annotator, episode: item.episode, step: item.step }));
  });
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
      <ProgressBar of={next.progress} />
      {item
        ? <ReviewStep key={`${item.episode} ${item.step} ${item.log.length}`} item={item} undoable={done.length > 0} onReview={review} onUndo={undo} onMove={move} />
        : (
          <div class="panel">
            <p role="status">{t("review.done")}</p>
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

function ProgressBar({ of: { total, open, accept, edit, reject, invalid } }: { readonly of: ReviewCounts }): JSX.Element {
  return (
    <div class="progress">
      <progress value={total - open} max={Math.max(total, 1)} aria-label={t("review.progress")} />
      <span role="status">{t("review.counts", { done: total - open, total, accept, edit, reject, invalid })}</span>
    </div>
  );
}
