// The reviewer's choices on a recording: accept, reject, ask again, comment; and what was said of it.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { ApiError, get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { notify, notifyError } from "../components/notices";
import { composes } from "../components/keys";
import type { EpisodeView, RecordingItem, RecordingReviewBody } from "../generated/api";
import { t } from "../i18n";
import { Fact } from "../library/facts";
import { formatTime } from "../library/format";
import { Outcome } from "../library/outcome";
import { go } from "../router";
import { Comments } from "./comments";
import { recordingFilterQuery, type RecordingFilter } from "./recordingfilter";
import { RecordingState } from "../library/recordingstate";

export function RecordingVerdict({ episode, filter }: { readonly episode: EpisodeView; readonly filter: RecordingFilter }): JSX.Element {
  const data = useData(() => get("api/review/recording", { id: episode.id }), [episode.id]);
  return <Data data={data}>{(item) => <Verdict key={item.log.length} episode={episode} item={item} filter={filter} reload={data.reload} />}</Data>;
}

/** The recording that was decided last in this tab, whose review Z takes back. */
let decided: string | null = null;

function Verdict({ episode, item, filter, reload }: {
  readonly episode: EpisodeView;
  readonly item: RecordingItem;
  readonly filter: RecordingFilter;
  readonly reload: () => void;
}): JSX.Element {
  const [asks, setAsks] = useState<"reject" | "again" | null>(null);
  const [draft, setDraft] = useState("");
  const place = useRef<HTMLHeadingElement>(null);
  const busy = useRef(false);
  useEffect(() => {
    if (asks === null) place.current?.focus({ preventScroll: true });
  }, [asks]);
  const runOnce = async (work: () => Promise<void>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    try {
      await work();
    } catch (error) {
      notifyError(error);
      if (error instanceof ApiError && error.status === 409) reload();
    } finally {
      busy.current = false;
    }
  };
  /** A comment that was typed is added first, so that it is never lost. */
  const addDraft = async (to: RecordingItem): Promise<RecordingItem> => {
    if (draft.trim() === "") return to;
    const told = await send(to, "comment", draft);
    setDraft("");
    return told;
  };
  const openNext = async (): Promise<void> => {
    const { id } = await get("api/review/recordings/next", { ...recordingFilterQuery(filter), after: item.id });
    if (id === null) notify("success", t("recordings.done"));
    go(id === null ? ["review", "recordings"] : ["review", "recordings", id], recordingFilterQuery(filter));
  };
  const decide = (state: RecordingReviewBody["state"], text = ""): Promise<void> => runOnce(async () => {
    await send(await addDraft(item), state, text);
    decided = item.id;
    await openNext();
  });
  const withdraw = (): Promise<void> => runOnce(async () => {
    const id = item.review ? item.id : decided;
    if (id === null) return;
    const of = id === item.id ? item : await get("api/review/recording", { id });
    if (of.review) await send(of, "withdraw");
    decided = null;
    if (id === item.id) reload();
    else go(["review", "recordings", id], recordingFilterQuery(filter));
  });
  const comments = item.log.filter(({ state }) => state === "comment");
  const reviews = item.log.filter(({ state }) => state !== "comment");
  return (
    <>
      <h2 tabIndex={-1} ref={place}>{episode.instruction || episode.task || episode.id}</h2>
      <section class="panel" aria-label={t("recording.review")}>
        <dl class="facts">
          <Fact word="recording.state"><RecordingState state={item.review?.state ?? "open"} /> {item.review && <span class="quiet">{item.review.who} · {formatTime(item.review.time)}</span>}</Fact>
          {item.review?.text && <Fact word="recording.reason"><span class="prose">{item.review.text}</span></Fact>}
          <Fact word="recording.outcome"><Outcome of={episode} /></Fact>
          <Fact word="recording.agent">{episode.agent}</Fact>
          {reviews.length > 0 && (
            <Fact word="provenance.log">
              <ol>{reviews.map((line, index) => <li key={index}>{t(`recording.state.${line.state}`)} <span class="quiet">{line.text} {line.who} · {formatTime(line.time)}</span></li>)}</ol>
            </Fact>
          )}
        </dl>
      </section>
      {asks
        ? <Reason state={asks} queued={item.queued} onSay={(text) => void decide(asks, text)} onCancel={() => setAsks(null)} />
        : (
          <div class="row keys">
            <Button label={t("review.accept")} keys="Enter" kind="primary" onPress={() => void decide("accept")} />
            <Button label={t("review.reject")} keys="X" kind="danger" onPress={() => setAsks("reject")} />
            <Button label={t("recording.again")} keys="A" onPress={() => setAsks("again")} />
            <Button label={t("review.undo")} keys="Z" disabled={!item.review && decided === null} onPress={() => void withdraw()} />
            <Button label={t("review.skip")} keys="J" kind="quiet" onPress={() => void runOnce(async () => {
              await addDraft(item);
              await openNext();
            })} />
          </div>
        )}
      <Comments comments={comments} draft={draft} onDraft={setDraft} onAdd={() => void runOnce(async () => {
        await addDraft(item);
        reload();
      })} />
    </>
  );
}

async function send({ id, version, log }: RecordingItem, state: RecordingReviewBody["state"], text = ""): Promise<RecordingItem> {
  return await post("api/review/recording", { id, version, lines: log.length, state, text });
}

function Reason({ state, queued, onSay, onCancel }: {
  readonly state: "reject" | "again";
  readonly queued: boolean;
  readonly onSay: (text: string) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const ready = state === "reject" || text.trim() !== "";
  const onKey = (event: KeyboardEvent): void => {
    if (composes(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) onSay(text);
    else if (event.key === "Escape" && text.trim() === "") onCancel();
    else return;
    event.preventDefault();
  };
  const label = t(state === "again" ? "recording.again" : "review.reject");
  return (
    <section class="panel" aria-label={label}>
      <label class="field">
        <span>{t("recording.reason")}</span>
        <textarea ref={field} rows={2} maxLength={4000} value={text} onKeyDown={onKey} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      {state === "again" && <p class="quiet">{t(queued ? "recording.again.queued" : "recording.again.noted")}</p>}
      <div class="row keys">
        <Button label={label} kind="primary" disabled={!ready} title="Ctrl+Enter" onPress={() => onSay(text)} />
        <Button label={t("cancel")} onPress={onCancel} />
      </div>
    </section>
  );
}
