// One demonstration: the goal and its steps on the left, the live screen, the controls on the right.

import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { socketUrl } from "../api";
import { Button } from "../components/button";
import { Dialog } from "../components/dialog";
import { writes } from "../components/keys";
import { notifyError } from "../components/notices";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Elements } from "../record/elements";
import { FinishDialog, Finished } from "../record/finish";
import { Goal } from "../record/goal";
import { LiveScreen } from "../record/livescreen";
import { ComputerPanel } from "../record/computerpanels";
import { usesMouse } from "../record/mouse";
import { ElementsPanel, KeysPanel } from "../record/panels";
import { isReached, type UserAction, type Outcome } from "../record/protocol";
import { Session } from "../record/session";
import { countRecorded, recordedCount } from "../record/count";
import { findFollowing, resumeReleased, start, startOf, type Following, type Start } from "../record/start";
import { Banner } from "../record/status";
import { Steps } from "../record/steps";
import { LiveStream } from "../record/stream";
import { Question, TextPanel, ThinkAloud } from "../record/textpanel";
import { go, href } from "../router";
import "../record/record.css";

export default function RecordPage({ params }: PageProps): JSX.Element {
  const id = params["session"] ?? "";
  useTitle(t("record.title"));
  const [resumes, setResumes] = useState(0);
  const resume = (): void => void resumeReleased(id).then(() => setResumes(resumes + 1), notifyError);
  return <Recording key={`${id} ${resumes}`} id={id} onResume={resume} />;
}

function Recording({ id, onResume }: { readonly id: string; readonly onResume: () => void }): JSX.Element {
  const session = useMemo(() => new Session(id), [id]);
  const stream = useMemo(() => new LiveStream(socketUrl("ws/frames", { session: id })), [id]);
  const elements = useMemo(() => new Elements(id, stream.painted), [id, stream]);
  useEffect(
    () => () => {
      elements.close();
      stream.close();
      session.close();
    },
    [session, stream, elements],
  );
  const released = session.released.value !== null;
  const over = released || session.gone.value;
  useEffect(() => {
    if (over) stream.close();
  }, [over, stream]);
  const [joinsTaps, setJoinsTaps] = useState(false);
  const [dialog, setDialog] = useState<"finish" | "discard" | null>(null);
  const [following, setFollowing] = useState<Following | null>(null);
  const goesOn = useRef(false);
  const state = session.state.value;
  const outcome = state?.outcome ?? null;
  const ended = outcome !== null;
  const reached = useMemo(() => computed(() => isReached(session.state.value?.judge ?? null)), [session]).value;
  const finishing = useRef<HTMLButtonElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves at the moment when the goal is reached
  useEffect(() => {
    if (reached && !ended && !isBusy()) finishing.current?.focus({ preventScroll: true });
  }, [reached]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the outcome arrives
  useEffect(() => {
    if (outcome === null || outcome === "discarded" || !state) return;
    countRecorded(id);
    findFollowing(startOf(state)).then(setFollowing, (error: unknown) => {
      notifyError(error);
      setFollowing("own");
    });
  }, [outcome]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when it is known what follows
  useEffect(() => {
    if (goesOn.current && following !== null && typeof following !== "string") begin(following.start);
  }, [following]);

  const act = (action: UserAction): void => {
    const seen = stream.painted.value;
    if (seen !== null) session.act(action, seen);
  };
  const finish = (how: Outcome, reason: string, next_: boolean): void => {
    goesOn.current = next_;
    setDialog(null);
    session.send({ t: "finish", outcome: how, reason });
  };
  const askFinish = (): void => {
    if (isReached(state?.judge ?? null)) finish("success", "", false);
    else setDialog("finish");
  };
  const discard = (): void => {
    setDialog(null);
    session.send({ t: "discard" });
  };
  const begin = (what: Start): void => void start(what).then((session) => go(["record", session]), notifyError);

  if (session.gone.value && !ended)
    return (
      <div class="page record-pages">
        <h1>{t("record.gone.title")}</h1>
        <p>{t("record.gone.text")}</p>
        <a class="button" href={href([])}>
          {t("finished.home")}
        </a>
      </div>
    );
  const live = session.live.value;
  const open = state !== null && !ended && session.link.state.value === "open" && session.controls.value && state.restoring === null && !released;
  return (
    <div class="record record-pages">
      <h1 class="visually-hidden">{t("record.title")}</h1>
      <div class="record-left">
        {state && <Goal state={state} onFinish={open ? askFinish : null} />}
        {state && !ended && <ThinkAloud session={session} said={state.said} active={open} />}
        {state && <Steps session={session} state={state} active={open} />}
      </div>
      <div class="record-middle">
        {!ended && <Banner session={session} onClose={askFinish} onResume={onResume} />}
        {state && ended && <Finished state={state} recorded={recordedCount.value} following={following} onBegin={begin} onHurry={() => (goesOn.current = true)} />}
        {state && !ended && <Question session={session} last={state.steps.at(-1)} active={open} />}
        {state && !ended && !released && (
          <LiveScreen
            session={session}
            stream={stream}
            elements={elements}
            device={state.device}
            size={{ width: state.size?.[0] ?? 9, height: state.size?.[1] ?? 20 }}
            joinsTaps={joinsTaps}
          />
        )}
      </div>
      <div class="record-right">
        <section class="panel flow">
          <Button ref={finishing} label={t("flow.finish")} keys="F" kind={state?.interrupted ? "plain" : "primary"} disabled={!open} onPress={askFinish} />
          <Button
            label={state?.paused ? t("flow.resume") : t("flow.pause")}
            keys="P"
            disabled={!open}
            onPress={() => session.send({ t: state?.paused ? "resume" : "pause" })}
          />
          <Button
            label={state?.takeover ? t("flow.handback") : t("flow.takeover")}
            keys="M"
            disabled={!open}
            onPress={() => session.send({ t: "takeover", on: !state?.takeover })}
          />
          <Button label={t("flow.discard")} keys="R" kind="danger" disabled={!open} onPress={() => setDialog("discard")} />
        </section>
        <KeysPanel act={act} live={live} keys={state?.keys ?? []} joinsTaps={joinsTaps} onJoinTaps={setJoinsTaps} />
        <ComputerPanel act={act} live={live} keys={state?.keys ?? []} />
        <TextPanel act={act} live={live} apps={state?.apps ?? state?.task?.apps ?? []} refused={session.refused.value} />
        <ElementsPanel act={act} live={live} elements={elements} />
        <p class="hint">{t(usesMouse(state?.keys ?? []) ? "screen.help.mouse" : "screen.help")}</p>
      </div>
      {dialog === "finish" && state && <FinishDialog state={state} onClose={() => setDialog(null)} onFinish={finish} />}
      {dialog === "discard" && state && (
        <Dialog
          title={t("flow.discard.title")}
          onClose={() => setDialog(null)}
          actions={<Button label={t("flow.discard.confirm")} kind="danger" onPress={discard} />}
        >
          <p>{t("flow.discard.text", { n: state.steps.length })}</p>
        </Dialog>
      )}
    </div>
  );
}

/** Whether the focus is where a person types, or in a dialog: then it stays there. */
function isBusy(): boolean {
  return writes(document.activeElement) || document.querySelector("dialog[open]") !== null;
}
