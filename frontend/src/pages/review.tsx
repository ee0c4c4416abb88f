// The queue of reconstructed reasoning: one step at a time, judged with one key. What the annotator
// said stays as it is; every judgement is a line of its own, and taking one back is another.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, Failure, useData } from "../components/data";
import { composes, useShortcut } from "../components/keys";
import { notifyError } from "../components/notices";
import { useTitle, type PageProps } from "../components/pages";
import { Screen } from "../components/screen";
import { t } from "../i18n";
import { Command } from "../library/command";
import { Fact } from "../library/facts";
import { ActionMarks } from "../library/marks";
import { frameAddress } from "../library/pictures";
import { command } from "../library/shell";
import type { NextReview, ReviewBody, ReviewCounts, ReviewItem } from "../generated/api";
import { said, when } from "../library/words";
import { wordDiff } from "../library/worddiff";
import { go, href } from "../router";
import "../library/library.css";

interface Words {
  readonly reasoning: string;
  readonly target: string;
}

const SHOWN = new Set(["point", "box", "arrow"] as const);

export default function Review({ query }: PageProps): JSX.Element {
  useTitle(t("review.title"));
  const data = useData(() => get("api/review/annotators"), []);
  return (
    <div class="page library wide">
      <h1>{t("review.title")}</h1>
      <Data data={data}>
        {({ annotators, unreadable, store }) => {
          const annotator = query.get("annotator") ?? annotators[0]?.name;
          if (annotator === undefined) {
            return (
              <div class="panel">
                <p>{t("review.nobody")}</p>
                <Command line={command("tapwright", "annotate", "run", store, "--with", "rules")} />
              </div>
            );
          }
          return (
            <>
              {unreadable.map((told) => <p key={told} class="banner bad">{told}</p>)}
              {annotators.length > 1 && (
                <label class="field narrow">
                  <span>{t("review.annotator")}</span>
                  <select value={annotator} onChange={(event) => go(["review"], { annotator: event.currentTarget.value })}>
                    {annotators.map(({ name, progress: { open, total } }) => <option key={name} value={name}>{t("review.annotator.open", { name, open, total })}</option>)}
                  </select>
                </label>
              )}
              <Queue key={annotator} annotator={annotator} store={store} query={query} />
            </>
          );
        }}
      </Data>
    </div>
  );
}

function Queue({ annotator, store, query }: { readonly annotator: string; readonly store: string; readonly query: URLSearchParams }): JSX.Element {
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
  const doing = async (work: () => Promise<void>): Promise<void> => {
    if (busy.current) return; // a key that is pressed twice judges once
    busy.current = true;
    try {
      await work();
    } catch (reason) {
      notifyError(reason);
    } finally {
      busy.current = false;
    }
  };
  const begin = (): void => {
    const episode = query.get("episode");
    const asked = episode === null
      ? get("api/review/next", { annotator })
      : get("api/review/item", { annotator, episode, step: Number(query.get("step") ?? 0) });
    asked.then(show, setError);
  };
  useEffect(begin, []);

  const item = next?.item ?? null;
  const move = (back: boolean): Promise<void> => doing(async () => {
    if (item) show(await get("api/review/next", { annotator, episode: item.episode, step: item.step, show: "any", back }));
  });
  const judge = (state: ReviewBody["state"], more: Partial<Words> & { readonly code?: string } = {}): Promise<void> => doing(async () => {
    if (!item) return;
    await send(item, state, more);
    setDone((before) => [...before, { episode: item.episode, step: item.step }]);
    show(await get("api/review/next", { annotator, episode: item.episode, step: item.step }));
  });
  const takeBack = (): Promise<void> => doing(async () => {
    const last = done.at(-1);
    if (!last) return;
    const { item: judged } = await get("api/review/item", { annotator, ...last });
    if (judged) await send(judged, "withdraw");
    setDone((before) => before.slice(0, -1));
    show(await get("api/review/item", { annotator, ...last }));
  });

  if (error !== undefined) return <Failure error={error} onRetry={begin} />;
  if (!next) return <p class="quiet" role="status">{t("loading")}</p>;
  return (
    <>
      <ProgressBar of={next.progress} />
      {item
        ? <Judge key={`${item.episode} ${item.step} ${item.log.length}`} item={item} undoable={done.length > 0} onJudge={judge} onUndo={takeBack} onMove={move} />
        : (
          <div class="panel">
            <p role="status">{t("review.done")}</p>
            <Button label={t("review.undo")} keys="Z" disabled={done.length === 0} onPress={() => void takeBack()} />
          </div>
        )}
      <Command line={command("tapwright", "sft", "export", store, "--annotator", annotator, "--only", "approved", "--convention", "json", "--to", "llamafactory", "-o", "sft")} />
    </>
  );
}

async function send(item: ReviewItem, state: ReviewBody["state"], more: Partial<Words> & { readonly code?: string } = {}): Promise<void> {
  const { annotator, episode, step, before, log } = item;
  await post("api/review", { annotator, episode, step, frame: before.sha, lines: log.length, state, ...more });
}

function ProgressBar({ of: { total, open, accept, edit, reject, invalid } }: { readonly of: ReviewCounts }): JSX.Element {
  return (
    <div class="progress">
      <progress value={total - open} max={Math.max(total, 1)} aria-label={t("review.progress")} />
      <span role="status">{t("review.counts", { done: total - open, total, accept, edit, reject, invalid })}</span>
    </div>
  );
}

function Judge({ item, undoable, onJudge, onUndo, onMove }: {
  readonly item: ReviewItem;
  readonly undoable: boolean;
  readonly onJudge: (state: ReviewBody["state"], more?: Partial<Words> & { readonly code?: string }) => Promise<void>;
  readonly onUndo: () => Promise<void>;
  readonly onMove: (back: boolean) => Promise<void>;
}): JSX.Element {
  const [mode, setMode] = useState<"look" | "edit" | "reject">("look");
  const place = useRef<HTMLHeadingElement>(null);
  // The focus goes where the next step is read out, and is never left on what has gone.
  useEffect(() => {
    if (mode === "look") place.current?.focus({ preventScroll: true });
  }, [mode]);
  const acceptable = !item.invalid && item.reasoning.trim() !== "";
  const looking = mode === "look";
  useShortcut("Escape", () => setMode("look"), !looking);
  return (
    <div class="judge">
      <ReviewScreen item={item} />
      <div class="side">
        <section class="panel">
          <h2 tabIndex={-1} ref={place}>{t("review.step", { step: item.step, last: item.steps - 1 })}</h2>
          <p><strong>{item.instruction}</strong></p>
          <dl class="facts">
            <Fact word="fact.action"><strong>{said(item.action)}</strong></Fact>
            {item.target && <Fact word="fact.target">{item.target}</Fact>}
            <Fact word="fact.reasoning">
              {item.reasoning ? <span class="prose">{item.reasoning}</span> : <span class="bad-text">{t("review.nothing")}</span>}
            </Fact>
            {item.review && <Fact word="review.held"><Held item={item} /></Fact>}
          </dl>
          {item.invalid && <p class="banner bad" role="status">{t("review.invalid")}</p>}
          <Codes item={item} />
        </section>
        {mode === "edit" && <EditWords item={item} onSave={(words) => void onJudge("edit", words)} onCancel={() => setMode("look")} />}
        {mode === "reject" && <Reasons item={item} onCode={(code) => void onJudge("reject", { code })} onCancel={() => setMode("look")} />}
        {looking && (
          <div class="row keys">
            <Button label={t("review.accept")} keys="Enter" kind="primary" disabled={!acceptable} onPress={() => void onJudge("accept")} />
            <Button label={t("review.edit")} keys="E" onPress={() => setMode("edit")} />
            <Button label={t("review.reject")} keys="X" kind="danger" onPress={() => setMode("reject")} />
            <Button label={t("review.undo")} keys="Z" disabled={!undoable} onPress={() => void onUndo()} />
            <Button label={t("review.back")} keys="K" kind="quiet" onPress={() => void onMove(true)} />
            <Button label={t("review.skip")} keys="J" kind="quiet" onPress={() => void onMove(false)} />
          </div>
        )}
        <Provenance item={item} />
      </div>
    </div>
  );
}

function ReviewScreen({ item }: { readonly item: ReviewItem }): JSX.Element {
  const { episode, step, before, action } = item;
  const tree = useData(() => (before.tree ? get("api/tree", { episode, step }) : Promise.resolve(undefined)), [episode, step]);
  return (
    <figure>
      <figcaption>
        <a href={href(["episodes", episode], { step })}>{t("review.open", { id: episode })}</a>
      </figcaption>
      <div class="shot" style={{ aspectRatio: `${before.width} / ${before.height}`, "--shape": String(before.width / before.height) }}>
        <Screen
          size={before}
          src={frameAddress({ id: episode, run: undefined }, before.sha)}
          label={t("episode.seen.before.label", { step, said: said(action) })}
          marks={<ActionMarks action={action} size={before} tree={tree.value} shown={SHOWN} />}
        />
      </div>
    </figure>
  );
}

function Held({ item: { review, reasoning } }: { readonly item: ReviewItem }): JSX.Element | null {
  if (!review || review.state === "withdraw") return null;
  return (
    <>
      <span class={`tag ${review.state === "reject" ? "bad" : "good"}`}>{t(`review.state.${review.state}`)}</span>{" "}
      {review.code && <code>{review.code}</code>} <span class="quiet">{review.who} · {when(review.time)}</span>
      {review.reasoning !== null && <WordDiff old={reasoning} next={review.reasoning} />}
    </>
  );
}

function Codes({ item }: { readonly item: ReviewItem }): JSX.Element | null {
  const kinds = [["bad", item.codes], ["warn", item.warnings], ["", item.repairs]] as const;
  if (kinds.every(([, found]) => found.length === 0)) return null;
  return (
    <ul class="codes">
      {kinds.map(([kind, found]) => found.map(({ code, meaning }) => <li key={code}><span class={`tag ${kind}`}>{code}</span> <span class="quiet" lang="en">{meaning}</span></li>))}
    </ul>
  );
}

function EditWords({ item, onSave, onCancel }: { readonly item: ReviewItem; readonly onSave: (words: Words) => void; readonly onCancel: () => void }): JSX.Element {
  const held = item.review?.state === "edit" ? item.review : null;
  const [words, setWords] = useState<Words>({ reasoning: held?.reasoning ?? item.reasoning, target: held?.target ?? item.target });
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const ready = words.reasoning.trim() !== "";
  const onKey = (event: KeyboardEvent): void => {
    if (composes(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) onSave(words);
    else if (event.key === "Escape") onCancel();
    else return;
    event.preventDefault();
  };
  return (
    <section class="panel" aria-label={t("review.edit")} onKeyDown={onKey}>
      <label class="field">
        <span>{t("fact.reasoning")}</span>
        <textarea ref={area} rows={6} value={words.reasoning} onInput={(event) => setWords({ ...words, reasoning: event.currentTarget.value })} />
      </label>
      <label class="field">
        <span>{t("fact.target")}</span>
        <input value={words.target} onInput={(event) => setWords({ ...words, target: event.currentTarget.value })} />
      </label>
      <h3>{t("review.difference")}</h3>
      <WordDiff old={item.reasoning} next={words.reasoning} />
      {words.target !== item.target && <WordDiff old={item.target} next={words.target} />}
      <div class="row keys">
        <Button label={t("review.save")} kind="primary" disabled={!ready} title="Ctrl+Enter" onPress={() => onSave(words)} />
        <Button label={t("cancel")} onPress={onCancel} />
        <span class="quiet">{t("review.edit.keys")}</span>
      </div>
    </section>
  );
}

function WordDiff({ old, next }: { readonly old: string; readonly next: string }): JSX.Element {
  return (
    <p class="worddiff">
      {wordDiff(old, next).map(({ sign, text }, index) => (
        sign === "-" ? <del key={index}>{text}</del> : sign === "+" ? <ins key={index}>{text}</ins> : <span key={index}>{text}</span>
      ))}
    </p>
  );
}

function Reasons({ item, onCode, onCancel }: { readonly item: ReviewItem; readonly onCode: (code: string) => void; readonly onCancel: () => void }): JSX.Element {
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.focus(), []);
  return (
    <div class="panel" role="group" aria-label={t("review.why")} tabIndex={-1} ref={group}>
      <h3>{t("review.why")}</h3>
      <ul class="reasons">
        {Object.entries(item.reject_codes).map(([code, means], index) => (
          <li key={code}><Button label={reasonWord(code, means)} keys={String(index + 1)} onPress={() => onCode(code)} /></li>
        ))}
      </ul>
      <Button label={t("cancel")} onPress={onCancel} />
    </div>
  );
}

function reasonWord(code: string, means: string): string {
  switch (code) {
    case "WRONG_TARGET":
    case "NOT_ON_SCREEN":
    case "DOES_NOT_FOLLOW":
    case "HINDSIGHT":
    case "BAD_WORDING":
      return t(`reason.${code}`);
    default:
      return means;
  }
}

function Provenance({ item: { provenance: from, log } }: { readonly item: ReviewItem }): JSX.Element {
  return (
    <section class="panel" aria-label={t("provenance.title")}>
      <h2>{t("provenance.title")}</h2>
      <dl class="facts">
        <Fact word="provenance.annotator">{from.annotator} <span class="quiet mono">{from.version}</span></Fact>
        {from.model && <Fact word="provenance.model">{from.model}</Fact>}
        {from.prompt_sha256 && <Fact word="provenance.prompt"><code>{from.prompt_sha256}</code></Fact>}
        {from.tokens !== null && <Fact word="provenance.tokens">{from.tokens}</Fact>}
        <Fact word="provenance.time">{when(from.time)}</Fact>
        {log.length > 0 && (
          <Fact word="provenance.log">
            <ol>{log.map((line, index) => <li key={index}>{t(`review.state.${line.state}`)} <span class="quiet">{line.code} {line.who} · {when(line.time)}</span></li>)}</ol>
          </Fact>
        )}
      </dl>
    </section>
  );
}
