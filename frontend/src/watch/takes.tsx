// Several takes of one task side by side: steps that stand for the same in one row, and where they differ.

import type { JSX } from "preact";

import { Thumb } from "../components/thumb";
import type { EpisodeStepView, TakesView, TakeView } from "../generated/api";
import { t } from "../i18n";
import { Folded } from "../library/folded";
import { describeActions, formatPercent, formatTime } from "../library/format";
import { thumbnailUrl } from "../library/imageurls";
import { Outcome } from "../library/outcome";
import { RecordingState } from "../library/recordingstate";
import { href } from "../router";

export function Takes({ of: { takes, rows } }: { readonly of: TakesView }): JSX.Element {
  return (
    <div class="panel scroll" tabIndex={0} role="region" aria-label={t("takes.table")}>
      <table class="takes">
        <thead>
          <tr>
            <th scope="col">{t("takes.same")}</th>
            {takes.map((take) => <Head key={take.entry.id} take={take} />)}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ steps, agreement }, index) => (
            <tr key={index} class={agreement === 1 ? "" : "apart"}>
              <th scope="row"><span class={`tag ${agreement === 1 ? "good" : "warn"}`}>{formatPercent(agreement)}</span></th>
              {steps.map((number, column) => {
                const take = takes[column];
                const step = number === null ? undefined : take?.steps[number];
                return <td key={column}>{take && step ? <Cell episode={take.entry.id} step={step} /> : <span class="quiet">{t("takes.nothing")}</span>}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head({ take: { entry } }: { readonly take: TakeView }): JSX.Element {
  return (
    <th scope="col">
      <a href={href(["episodes", entry.id])}>{entry.agent.replace(/^human\//, "")}</a>
      <div><Outcome of={entry} /> {entry.review !== "open" && <RecordingState state={entry.review} />}</div>
      <div class="quiet">{t("takes.length", { n: entry.steps, seconds: entry.duration_s.toFixed(0) })}</div>
      {entry.rating > 0 && <div class="tag">{t("rating.given", { rating: entry.rating })}</div>}
      <div class="quiet">{formatTime(entry.created)}</div>
      {entry.comment && <p class="quiet"><Folded text={entry.comment} /></p>}
    </th>
  );
}

function Cell({ episode, step }: { readonly episode: string; readonly step: EpisodeStepView }): JSX.Element {
  return (
    <div class="take-step">
      <Thumb src={thumbnailUrl({ id: episode, run: undefined }, step.before.sha)} />
      <div>
        <a href={href(["episodes", episode], { step: step.index })}>{step.index + 1}. <Folded text={describeActions(step)} /></a>
        {step.target && <div class="quiet">{step.target}</div>}
        {step.said.map((line, index) => <p key={index} class="prose quiet">“{line.text}”</p>)}
        {step.note && <p class="prose">{step.note}</p>}
      </div>
    </div>
  );
}
