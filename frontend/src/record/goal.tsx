// The goal and its progress: instruction, task messages, score, reward.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { t } from "../i18n";
import type { StateMessage } from "../generated/api";
import { isReached } from "./protocol";

interface Properties {
  readonly state: StateMessage;
  /** Ends the demonstration, once its goal is reached: on a phone the other buttons lie below the screen. */
  readonly onFinish: (() => void) | null;
}

export function Goal({ state, onFinish }: Properties): JSX.Element {
  const { judge, task } = state;
  const reached = isReached(judge);
  return (
    <section class={`panel goal${reached ? " reached" : ""}`} aria-label={t("record.goal")}>
      <h2>{t("record.goal")}</h2>
      <p class="instruction">{task?.instruction || t("record.goal.none")}</p>
      {judge && judge.instructions.length > 0 && (
        <ul class="task-messages" aria-label={t("record.messages")}>
          {judge.instructions.map((line, index) => (
            <li key={index}>{line}</li>
          ))}
        </ul>
      )}
      {judge && (
        <div class="verdict" role="status">
          {reached ? <strong class="tag good">✓ {t("record.reached")}</strong> : judge.ended && <strong class="tag warn">{t("record.ended")}</strong>}
          <span class="tag score">{t("record.score", { score: Math.round(100 * judge.score) })}</span>
          {judge.total !== 0 && <span class="tag">{t("record.reward", { total: Number(judge.total.toFixed(3)) })}</span>}
          {reached && onFinish && <Button label={t("flow.finish")} kind="primary" extra="finish-here" onPress={onFinish} />}
          {judge.wrong && <span class="tag warn">{t("record.unjudged", { why: judge.wrong })}</span>}
        </div>
      )}
    </section>
  );
}
