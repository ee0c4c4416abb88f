// The reviewer's forms: an edit of an annotation, or the reason of a rejection.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { composes, useShortcut } from "../components/keys";
import type { ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { TextDiff } from "./textdiff";

export interface EditedAnnotation {
  readonly reasoning: string;
  readonly target: string;
}

export function EditForm({ item, onSave, onCancel }: { readonly item: ReviewItem; readonly onSave: (edited: EditedAnnotation) => void; readonly onCancel: () => void }): JSX.Element {
  const current = item.review?.state === "edit" ? item.review : null;
  const [edited, setEdited] = useState<EditedAnnotation>({ reasoning: current?.reasoning ?? item.reasoning, target: current?.target ?? item.target });
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const [asks, setAsks] = useState(false);
  const ready = edited.reasoning.trim() !== "";
  const typed = edited.reasoning !== (current?.reasoning ?? item.reasoning) || edited.target !== (current?.target ?? item.target);
  const leave = (): void => (typed ? setAsks(true) : onCancel());
  useShortcut("Escape", t("cancel"), leave);
  const onKey = (event: KeyboardEvent): void => {
    if (composes(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) onSave(edited);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
  };
  return (
    <section class="panel" aria-label={t("review.edit")} onKeyDown={onKey}>
      <label class="field">
        <span>{t("fact.reasoning")}</span>
        <textarea ref={area} rows={6} value={edited.reasoning} onInput={(event) => setEdited({ ...edited, reasoning: event.currentTarget.value })} />
      </label>
      <label class="field">
        <span>{t("fact.target")}</span>
        <input value={edited.target} onInput={(event) => setEdited({ ...edited, target: event.currentTarget.value })} />
      </label>
      <h3>{t("review.difference")}</h3>
      <TextDiff old={item.reasoning} next={edited.reasoning} />
      {edited.target !== item.target && <TextDiff old={item.target} next={edited.target} />}
      {asks && typed && (
        <p class="banner warn row" role="alert">
          <span>{t("dialog.typed")}</span>
          <Button label={t("dialog.typed.discard")} onPress={onCancel} />
        </p>
      )}
      <div class="row keys">
        <Button label={t("review.save")} kind="primary" disabled={!ready} title="Ctrl+Enter" onPress={() => onSave(edited)} />
        <Button label={t("cancel")} onPress={onCancel} />
        <span class="quiet">{t("review.edit.keys")}</span>
      </div>
    </section>
  );
}

export function RejectForm({ item, onCode, onCancel }: { readonly item: ReviewItem; readonly onCode: (code: string) => void; readonly onCancel: () => void }): JSX.Element {
  const group = useRef<HTMLDivElement>(null);
  useEffect(() => group.current?.focus(), []);
  return (
    <div class="panel" role="group" aria-label={t("review.why")} tabIndex={-1} ref={group}>
      <h3>{t("review.why")}</h3>
      <ul class="reasons">
        {Object.entries(item.reject_codes).map(([code, meaning], index) => (
          <li key={code}><Button label={reasonWords(code, meaning)} keys={String(index + 1)} onPress={() => onCode(code)} /></li>
        ))}
      </ul>
      <Button label={t("cancel")} onPress={onCancel} />
    </div>
  );
}

/** What a code of a rejection says; `meaning` for any other. */
export function reasonWords(code: string, meaning: string): string {
  switch (code) {
    case "WRONG_TARGET":
    case "NOT_ON_SCREEN":
    case "DOES_NOT_FOLLOW":
    case "HINDSIGHT":
    case "BAD_WORDING":
      return t(`reason.${code}`);
    default:
      return meaning;
  }
}
