// An attempt in which a person acts: the live screen of the record page, and its controls.

import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { socketUrl } from "../api";
import { Button } from "../components/button";
import type { LiveView } from "../generated/api";
import { t } from "../i18n";
import { ComputerPanel } from "../record/computerpanels";
import { LiveScreen } from "../record/livescreen";
import { usesMouse } from "../record/mouse";
import { KeysPanel } from "../record/panels";
import type { UserAction } from "../record/protocol";
import { LiveStream } from "../record/stream";
import { TextPanel } from "../record/textpanel";
import { stateWords } from "./attempts";
import { HeldScreen } from "./heldscreen";

export function TakenOver({ attempt, onSent, onBack, onClose }: {
  readonly attempt: LiveView;
  readonly onSent: () => void;
  readonly onBack: () => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { run, episode, device } = attempt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one for each attempt
  const held = useMemo(() => new HeldScreen(run, episode, onSent), [run, episode]);
  useEffect(() => held.update(attempt), [held, attempt]);
  const stream = useMemo(() => new LiveStream(socketUrl("ws/live", { run, episode })), [run, episode]);
  useEffect(() => () => stream.close(), [stream]);
  const [joinsTaps, setJoinsTaps] = useState(false);
  const box = useRef<HTMLElement>(null);
  useEffect(() => { // it may be far above the card
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView();
  }, []);
  const act = (action: UserAction): void => {
    if (stream.painted.value !== null) held.act(action, stream.painted.value);
  };
  const live = held.live.value;
  const keys = attempt.screen?.keys ?? [];
  const size = attempt.screen ?? { width: 9, height: 20 };
  return (
    <section class="taken" ref={box} tabIndex={-1} aria-label={attempt.instruction}>
      <div class="record-middle">
        {attempt.screen === null ? <p class="banner warn" role="status">{t("watch.taking")}</p> : (
          <LiveScreen session={held} stream={stream} elements={held.elements} device={device} size={size} joinsTaps={joinsTaps} />
        )}
      </div>
      <div class="record-right">
        <section class="panel">
          <h2>{attempt.instruction}</h2>
          <p class="quiet">{[device, attempt.agent, attempt.task].filter((one) => one !== "").join(" · ")}</p>
          <p class="tags" role="status">
            <span class={`tag ${live ? "good" : "warn"}`}>{stateWords(attempt)}</span>
            <span class="tag">{t("watch.step", { n: attempt.steps, of: attempt.max_steps })}</span>
            {held.pending.value > 0 && <span class="tag">{t("status.pending", { n: held.pending.value })}</span>}
          </p>
          <div class="row wrap">
            <Button label={t("watch.back")} kind="primary" keys="M" onPress={onBack} />
            <Button label={t("close")} onPress={onClose} />
          </div>
          <p class="hint">{t("watch.told")}</p>
        </section>
        <KeysPanel act={act} live={live} keys={keys} joinsTaps={joinsTaps} onJoinTaps={setJoinsTaps} />
        <ComputerPanel act={act} live={live} keys={keys} />
        <TextPanel act={act} live={live} apps={attempt.screen?.apps ?? []} refused={null} />
        <p class="hint">{t(usesMouse(keys) ? "screen.help.mouse" : "screen.help")}</p>
      </div>
    </section>
  );
}
