// One step of the review queue: its screen, its annotation, and the reviewer's choices.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { useShortcut } from "../components/keys";
import type { ReviewBody, ReviewItem } from "../generated/api";
import { t } from "../i18n";
import { Fact } from "../library/facts";
import { Folded } from "../library/folded";
import { describeActions } from "../library/format";
import { Comments } from "./comments";
import { Codes, CurrentReview, Provenance, RawAnswer } from "./details";
import { EditForm, RejectForm } from "./forms";
import { judgeClass, StepScreens } from "./screens";
import { Sides, type Decision } from "./sides";
import { useRoomBelow } from "../viewer/roombelow";

/** What an edit or a rejection sends besides its state. */
export type ReviewDetails = Pick<ReviewBody, "reasoning" | "target" | "code">;

export interface ReviewActions {
  readonly onReview: (state: ReviewBody["state"], details?: ReviewDetails) => Promise<void>;
  readonly onUndo: () => Promise<void>;
  readonly onMove: (back: boolean) => Promise<void>;
  readonly onDecide: (decision: Decision) => Promise<void>;
  readonly onComment: () => Promise<void>;
}

export function ReviewStep({ item, undoable, draft, onDraft, actions }: {
  readonly item: ReviewItem;
  readonly undoable: boolean;
  /** The comment that is being written. */
  readonly draft: string;
  readonly onDraft: (draft: string) => void;
  readonly actions: ReviewActions;
}): JSX.Element {
  const { onReview, onUndo, onMove, onDecide, onComment } = actions;
  const [mode, setMode] = useState<"look" | "edit" | "reject" | "decide">("look");
  const place = useRef<HTMLHeadingElement>(null);
  // The focus goes where the next step is read out, and is never left on what has gone.
  useEffect(() => {
    if (mode === "look") place.current?.focus({ preventScroll: true });
  }, [mode]);
  const acceptable = !item.invalid && item.reasoning.trim() !== "";
  const looking = mode === "look";
  const box = useRoomBelow(item.step);
  useShortcut("Escape", t("cancel"), () => setMode("look"), mode === "reject");
  return (
    <div class={judgeClass(item.before)} ref={box}>
      <StepScreens {...item} />
      <div class="side">
        <div class="verdict">
          <section class="panel">
            <h2 tabIndex={-1} ref={place}>{t("review.step", { step: item.step + 1, count: item.steps })}</h2>
            <p><strong>{item.instruction}</strong></p>
            <dl class="facts">
              <Fact word="fact.action"><strong><Folded text={describeActions(item)} /></strong></Fact>
              {item.step_instruction && <Fact word="fact.step_instruction"><span class="prose">{item.step_instruction}</span></Fact>}
              {item.target && <Fact word="fact.target">{item.target}</Fact>}
              <Fact word="fact.reasoning">
                {item.reasoning ? <span class="prose">{item.reasoning}</span> : <span class="bad-text">{t("review.nothing")}</span>}
              </Fact>
              {item.review && <Fact word="review.current"><CurrentReview item={item} /></Fact>}
            </dl>
            {item.invalid && <p class="banner bad" role="status">{t("review.invalid")}</p>}
            <Codes item={item} />
          </section>
          {looking && (
            <div class="row keys">
              <Button label={t("review.accept")} keys="Enter" kind="primary" disabled={!acceptable} onPress={() => void onReview("accept")} />
              <Button label={t("review.edit")} keys="E" onPress={() => setMode("edit")} />
              <Button label={t("review.reject")} keys="X" kind="danger" onPress={() => setMode("reject")} />
              {item.others.length > 0 && <Button label={t("review.decide")} keys="D" onPress={() => setMode("decide")} />}
              <Button label={t("review.undo")} keys="Z" disabled={!undoable} onPress={() => void onUndo()} />
              <Button label={t("review.back")} keys="K" kind="quiet" onPress={() => void onMove(true)} />
              <Button label={t("review.skip")} keys="J" kind="quiet" onPress={() => void onMove(false)} />
            </div>
          )}
        </div>
        {mode === "edit" && <EditForm item={item} onSave={(edited) => void onReview("edit", edited)} onCancel={() => setMode("look")} />}
        {mode === "reject" && <RejectForm item={item} onCode={(code) => void onReview("reject", { code })} onCancel={() => setMode("look")} />}
        {mode === "decide" && <Sides item={item} onDecide={(decision) => void onDecide(decision)} onCancel={() => setMode("look")} />}
        {mode !== "decide" && <Sides item={item} />}
        <Comments comments={item.comments} draft={draft} onDraft={onDraft} onAdd={() => void onComment()} />
        <RawAnswer text={item.answer} />
        <Provenance item={item} />
      </div>
    </div>
  );
}
