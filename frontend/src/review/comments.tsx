// Comments on a step or a recording: those that were written, and the field for one more.

import type { JSX } from "preact";
import { useRef } from "preact/hooks";

import { Button } from "../components/button";
import { composes, useShortcut } from "../components/keys";
import { t } from "../i18n";
import { formatTime } from "../library/format";

export interface Comment {
  readonly text: string;
  readonly who: string;
  readonly time: string;
  /** 1 to 5 from who recorded it; else 0, or not there. */
  readonly rating?: number;
}

export function Comments({ comments, draft, onDraft, onAdd }: {
  readonly comments: readonly Comment[];
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly onAdd: () => void;
}): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  useShortcut("C", t("review.comment"), () => field.current?.focus());
  const ready = draft.trim() !== "";
  const onKey = (event: KeyboardEvent): void => {
    if (composes(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) onAdd();
    else if (event.key === "Escape") field.current?.blur();
    else return;
    event.preventDefault();
  };
  return (
    <section class="panel" aria-label={t("review.comments")}>
      <h2>{t("review.comments")}</h2>
      {comments.length > 0 && (
        <ul class="comments">
          {comments.map((one, index) => (
            <li key={index}>{one.rating ? <span class="tag">{t("rating.given", { rating: one.rating })}</span> : null} <span class="prose">{one.text}</span> <span class="quiet">{one.who} · {formatTime(one.time)}</span></li>
          ))}
        </ul>
      )}
      <label class="field">
        <span>{t("review.comment")} <kbd aria-hidden="true">C</kbd></span>
        <textarea ref={field} rows={2} maxLength={4000} value={draft} onKeyDown={onKey} onInput={(event) => onDraft(event.currentTarget.value)} />
      </label>
      <div class="row">
        <Button label={t("review.comment.add")} disabled={!ready} onPress={onAdd} /> <kbd aria-hidden="true">Ctrl+⏎</kbd>
        <span class="quiet">{t("review.comment.means")}</span>
      </div>
    </section>
  );
}
