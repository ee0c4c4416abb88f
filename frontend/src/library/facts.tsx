// The details of a step as a list of labels and values; empty ones are left out.

import type { ComponentChildren, JSX } from "preact";

import { t, type Word } from "../i18n";
import type { EpisodeStepView } from "../generated/api";
import { fitName, isUsual } from "./fit";
import { Folded } from "./folded";
import { appName, describeActions } from "./format";

export function StepFacts({ step }: { readonly step: EpisodeStepView }): JSX.Element {
  return (
    <dl class="facts">
      <Fact word="fact.action">
        <strong><Folded text={describeActions(step)} /></strong>
        {!isUsual(step.fit) && <span class="tag warn" title={t("fit.means")}>{fitName(step.fit)}</span>}
      </Fact>
      {step.by && <Fact word="fact.by">{step.by.replace(/^human\//, "")}</Fact>}
      {step.step_instruction && <Fact word="fact.step_instruction"><span class="prose">{step.step_instruction}</span></Fact>}
      {step.refused && <Fact word="fact.refused"><span class="bad-text">{step.refused}</span></Fact>}
      {step.target && <Fact word="fact.target">{step.target}</Fact>}
      {step.reasoning && <Fact word="fact.reasoning"><span class="prose">{step.reasoning}</span></Fact>}
      {step.said.length > 0 && <Fact word="fact.said"><Said of={step.said} /></Fact>}
      {step.note && <Fact word="fact.note"><span class="prose">{step.note}</span></Fact>}
      {step.reward !== 0 && <Fact word="fact.reward"><span class={`tag ${step.reward > 0 ? "good" : "bad"}`}>{step.reward > 0 ? "+" : "−"}{Math.abs(step.reward)}</span></Fact>}
      {step.instructions.length > 0 && <Fact word="fact.messages"><Lines of={step.instructions} /></Fact>}
      {step.app && <Fact word="fact.app"><span title={step.app}>{step.url ? step.app : appName(step.app)}</span></Fact>}
      {step.url && <Fact word="fact.url"><span class="prose">{step.url}</span></Fact>}
      {step.tabs.length > 1 && <Fact word="fact.tabs"><Tabs of={step.tabs} /></Fact>}
      <Fact word="fact.time">{t("fact.seconds", { seconds: step.time_s.toFixed(1) })}</Fact>
      {step.raw > 0 && <Fact word="fact.raw">{step.raw}</Fact>}
      {step.log.length > 0 && <Fact word="fact.log"><code class="log">{step.log.join("\n")}</code></Fact>}
    </dl>
  );
}

export function Fact({ word, children }: { readonly word: Word; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{t(word)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Tabs({ of }: { readonly of: EpisodeStepView["tabs"] }): JSX.Element {
  return (
    <ol>
      {of.map((tab, index) => (
        <li key={index} aria-current={tab.active || undefined} title={tab.url}>
          {tab.active ? <strong>{tab.title || tab.url}</strong> : tab.title || tab.url}
        </li>
      ))}
    </ol>
  );
}

function Said({ of }: { readonly of: EpisodeStepView["said"] }): JSX.Element {
  return <ul>{of.map(({ text, time_s }, index) => <li key={index}><span class="quiet">{t("fact.seconds", { seconds: time_s.toFixed(1) })}</span> {text}</li>)}</ul>;
}

function Lines({ of }: { readonly of: readonly string[] }): JSX.Element {
  return <ul>{of.map((line, index) => <li key={index}>{line}</li>)}</ul>;
}
