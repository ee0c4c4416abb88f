// One attempt: its latest screen with the action drawn on it, what was thought, how far it is, and what
// may be asked of it.

import type { JSX } from "preact";

import { imageUrl } from "../api";
import { Button } from "../components/button";
import { Screen } from "../components/screen";
import type { LiveView } from "../generated/api";
import { t } from "../i18n";
import { Folded, shorten } from "../library/folded";
import { describeActions, formatOutcome, outcomeColor } from "../library/format";
import { ActionMarks, type Overlay } from "../library/marks";
import { href } from "../router";
import { answer, hold, isMine, isOver, keyOf, release, stateWords } from "./attempts";

const SHOWN: ReadonlySet<Overlay> = new Set<Overlay>(["point", "arrow"]);
const WIDTH_PX = 480;

export function AttemptCard({ attempt, onOpen, onChange }: {
  readonly attempt: LiveView;
  readonly onOpen: () => void;
  readonly onChange: () => void;
}): JSX.Element {
  const { last, outcome, reward, steps } = attempt;
  return (
    <li class="panel attempt-card" data-attempt={keyOf(attempt)}>
      <Picture attempt={attempt} />
      <div class="words">
        <h2>{attempt.instruction}</h2>
        <p class="quiet">{[attempt.device, attempt.agent, attempt.task].filter((one) => one !== "").join(" · ")}</p>
        <p class="tags">
          {attempt.state === "ended"
            ? <span class={`tag ${outcomeColor(outcome)}`}>{formatOutcome(outcome)}</span>
            : <span class={`tag ${attempt.state === "playing" ? "good" : "warn"}`} role="status">{stateWords(attempt)}</span>}
          <span class="tag">{attempt.max_steps > 0 ? t("watch.step", { n: steps, of: attempt.max_steps }) : t("watch.steps", { n: steps })}</span>
          {reward !== 0 && <span class={`tag ${reward > 0 ? "good" : "bad"}`}>{t("watch.reward", { reward })}</span>}
        </p>
        {last === null ? <p class="quiet">{t("watch.first")}</p> : (
          <>
            <p class="did"><strong><Folded text={describeActions(last)} /></strong>{last.by && <span class="tag">{t("watch.by", { who: last.by.replace(/^human\//, "") })}</span>}</p>
            {last.refused && <p class="bad-text">{t("watch.refused", { why: last.refused })}</p>}
            {last.reasoning && <p class="thought"><Folded text={last.reasoning} /></p>}
            {last.instructions.map((line, index) => <p key={index} class="quiet">{line}</p>)}
          </>
        )}
        {attempt.asked && <Forbidden attempt={attempt} asked={attempt.asked} onChange={onChange} />}
        <Asking attempt={attempt} onOpen={onOpen} onChange={onChange} />
      </div>
    </li>
  );
}

/** The action that the agent may do only if a person says so. */
function Forbidden({ attempt, asked, onChange }: { readonly attempt: LiveView; readonly asked: NonNullable<LiveView["asked"]>; readonly onChange: () => void }): JSX.Element {
  const say = (allows: boolean): void => void answer(attempt, asked.key, allows).then(onChange);
  return (
    <section class="question" aria-label={t("watch.asks")}>
      <p role="status"><strong>{t("watch.asks")}</strong> <Folded text={asked.action} /></p>
      <div class="row wrap">
        <Button label={t("watch.allow")} onPress={() => say(true)} />
        <Button label={t("watch.refuse")} onPress={() => say(false)} />
      </div>
    </section>
  );
}

function Picture({ attempt }: { readonly attempt: LiveView }): JSX.Element {
  const { last, screen, run, episode, device, steps } = attempt;
  if (screen !== null) {
    const label = t("watch.screen.held", { device });
    return <div class="shot" style={{ "--shape": screen.width / screen.height }}><Screen size={screen} src={imageUrl("api/live/screen", { run, episode, number: screen.number })} label={label} /></div>;
  }
  if (last === null) return <div class="shot empty" style={{ "--shape": 0.5 }} />;
  const size = last.before;
  const label = t("watch.screen", { device, n: steps, said: shorten(describeActions(last)) });
  return (
    <div class="shot" style={{ "--shape": size.width / size.height }}>
      <Screen size={size} src={imageUrl("api/thumb", { run, episode, sha: size.sha, w: WIDTH_PX })} label={label}
        marks={<ActionMarks action={last.action} more={last.more} size={size} tree={undefined} shown={SHOWN} />} />
    </div>
  );
}

function Asking({ attempt, onOpen, onChange }: { readonly attempt: LiveView; readonly onOpen: () => void; readonly onChange: () => void }): JSX.Element | null {
  const ask = (what: Promise<unknown>): void => void what.then(onChange);
  if (isOver(attempt))
    return attempt.steps === 0 ? null : <p><a class="button" href={href(["episodes", attempt.episode], { run: attempt.run || undefined })}>{t("watch.episode")}</a></p>;
  const mine = isMine(attempt);
  const free = attempt.who === "";
  const take = (): void => {
    ask(hold(attempt, true));
    onOpen();
  };
  return (
    <div class="row wrap asking">
      {!attempt.acts && <Button label={t(free ? "watch.pause" : "watch.resume")} disabled={!free && !mine} onPress={() => ask(free ? hold(attempt, false) : release(attempt))} />}
      {attempt.acts && mine
        ? <Button label={t("watch.open")} kind="primary" onPress={onOpen} />
        : <Button label={t("watch.take")} disabled={!free && !mine} onPress={take} />}
      {attempt.acts && <Button label={t("watch.back")} disabled={!mine} onPress={() => ask(release(attempt))} />}
    </div>
  );
}
