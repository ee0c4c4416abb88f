// What several annotators wrote of one step, side by side; a reviewer chooses one, or writes other words.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { composes } from "../components/keys";
import type { ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { TextDiff } from "./textdiff";

/** Whose words hold: an annotator's, or with "" those that are given. */
export interface Decision {
  readonly chosen: string;
  readonly reasoning: string;
  readonly target: string;
}

export interface Side {
  readonly annotator: string;
  readonly reasoning: string;
  readonly target: string;
  readonly state: ReviewItem["others"][number]["state"];
  /** Whether there are words to choose. */
  readonly usable: boolean;
}

/** The annotators of a step with their words as they were reviewed, the one under review first. */
export function sidesOf({ annotator, reasoning, target, invalid, review, others }: ReviewItem): readonly Side[] {
  const state: Side["state"] = review?.state ?? "open";
  const edited = review?.state === "edit" ? review : null;
  const own: Side = {
    annotator,
    reasoning: edited?.reasoning ?? reasoning,
    target: edited?.target ?? target,
    state,
    usable: state === "edit" || (state !== "reject" && !invalid),
  };
  return [own, ...others.map((one) => ({ ...one, usable: !one.invalid }))];
}

export function Sides({ item, onDecide, onCancel }: {
  readonly item: ReviewItem;
  /** Set while somebody decides. */
  readonly onDecide?: (decision: Decision) => void;
  readonly onCancel?: () => void;
}): JSX.Element | null {
  const sides = sidesOf(item);
  const [own] = sides;
  const section = useRef<HTMLElement>(null);
  const deciding = onDecide !== undefined;
  useEffect(() => {
    if (deciding) section.current?.focus();
  }, [deciding]);
  if (sides.length < 2 || !own) return null;
  const title = t(deciding ? "review.decide.title" : "review.others");
  return (
    <section class="panel" aria-label={title} tabIndex={-1} ref={section}>
      <h2>{title}</h2>
      <ul class="sides">
        {sides.map((side, index) => {
          const same = side.reasoning === own.reasoning && side.target === own.target;
          return (
            <li key={side.annotator}>
              <h3>
                {side.annotator} <span class="quiet">{t(`review.state.${side.state}`)}</span>{" "}
                {index > 0 && <span class={`tag ${same ? "good" : "warn"}`}>{t(same ? "review.agrees" : "review.differs")}</span>}
              </h3>
              {side.target && <p>{t("fact.target")}: {side.target}</p>}
              {side.reasoning ? <TextDiff old={own.reasoning} next={side.reasoning} /> : <p class="bad-text">{t("review.nothing")}</p>}
              {onDecide && (
                <Button
                  label={t("review.decide.choose", { name: side.annotator })}
                  keys={String(index + 1)}
                  disabled={!side.usable}
                  onPress={() => onDecide({ chosen: side.annotator, reasoning: "", target: "" })}
                />
              )}
            </li>
          );
        })}
      </ul>
      {onDecide && onCancel && <OtherWords own={own} onDecide={onDecide} onCancel={onCancel} />}
    </section>
  );
}

function OtherWords({ own, onDecide, onCancel }: {
  readonly own: Side;
  readonly onDecide: (decision: Decision) => void;
  readonly onCancel: () => void;
}): JSX.Element {
  const [reasoning, setReasoning] = useState("");
  const [target, setTarget] = useState(own.target);
  const ready = reasoning.trim() !== "";
  const save = (): void => onDecide({ chosen: "", reasoning, target });
  const onKey = (event: KeyboardEvent): void => {
    if (composes(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && ready) save();
    else if (event.key === "Escape" && !ready) onCancel();
    else return;
    event.preventDefault();
  };
  return (
    <div role="group" aria-label={t("review.decide.third")} onKeyDown={onKey}>
      <label class="field">
        <span>{t("review.decide.third")}</span>
        <textarea rows={3} value={reasoning} onInput={(event) => setReasoning(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>{t("fact.target")}</span>
        <input value={target} onInput={(event) => setTarget(event.currentTarget.value)} />
      </label>
      <div class="row keys">
        <Button label={t("review.decide.save")} disabled={!ready} title="Ctrl+Enter" onPress={save} />
        <Button label={t("cancel")} onPress={onCancel} />
        <span class="quiet">{t("review.decide.means")}</span>
      </div>
    </div>
  );
}
