// The same review for many recordings: accepted, rejected, asked for again, or put back into the queue.

import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";

import type { EpisodeSelection, JobView, ReviewManyBody } from "../generated/api";
import { t } from "../i18n";
import { Field } from "../library/field";
import { ChangeDialog } from "./changedialog";

const STATES = ["accept", "reject", "again", "open"] as const;

export function ReviewDialog({ count, send, onClose, onBegun }: {
  readonly count: () => Promise<EpisodeSelection>;
  readonly send: (stamp: string, review: { state: ReviewManyBody["state"]; text: string }) => Promise<JobView>;
  readonly onClose: () => void;
  readonly onBegun: () => void;
}): JSX.Element {
  const [state, setState] = useState<ReviewManyBody["state"]>("accept");
  const [text, setText] = useState("");
  const names = useId();
  const asksWhy = state === "reject" || state === "again";
  return (
    <ChangeDialog
      title={(found) => t("bulk.review.title", { count: found })}
      label={t("bulk.review.do")}
      ready={state !== "again" || text.trim() !== ""}
      count={count}
      send={(stamp) => send(stamp, { state, text: asksWhy ? text.trim() : "" })}
      onClose={onClose}
      onBegun={onBegun}
    >
      <fieldset class="plain">
        <legend class="visually-hidden">{t("recording.review")}</legend>
        {STATES.map((one) => (
          <label key={one} class="choice">
            <input type="radio" name="review-of-many" aria-label={t(`bulk.review.${one}`)} aria-describedby={`${names}-${one}`} checked={state === one} onChange={() => setState(one)} />
            <span>{t(`bulk.review.${one}`)}<small id={`${names}-${one}`} class="quiet">{t(`bulk.review.${one}.means`)}</small></span>
          </label>
        ))}
      </fieldset>
      {asksWhy && (
        <Field label={t("recording.reason")}>
          <textarea rows={2} maxLength={4000} required={state === "again"} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
      )}
      <p class="hint">{t("bulk.review.hint")}</p>
    </ChangeDialog>
  );
}
