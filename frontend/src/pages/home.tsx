// The start page: what is unfinished, what is asked of one, and a demonstration to begin.

import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { notifyError } from "../components/notices";
import { useTitle, type PageProps } from "../components/pages";
import type { DeviceView } from "../generated/api";
import { t } from "../i18n";
import { RecentEpisodes } from "../record/recent";
import { start, takeItem, type Start } from "../record/start";
import { go, href } from "../router";
import { me } from "../team/me";
import "../record/record.css";

const LOOK_AGAIN_MS = 3000;
const TYPING_MS = 150;

export default function HomePage({ query }: PageProps): JSX.Element {
  useTitle(t("nav.record"));
  const devices = useData(() => get("api/devices"), []);
  useEffect(() => {
    const timer = setInterval(devices.reload, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const [chosen, setChosen] = useState(query.get("device") ?? "");
  const [starting, setStarting] = useState(false);
  const free = devices.value?.filter(isFree) ?? [];
  const device = free.some((one) => one.name === chosen) ? chosen : (free[0]?.name ?? "");
  const begin = (what: Omit<Start, "device">): void => {
    setStarting(true);
    start({ ...what, device })
      .then((session) => go(["record", session]))
      .catch((error: unknown) => {
        notifyError(error);
        setStarting(false);
        devices.reload();
      });
  };
  const ready = device !== "" && !starting;
  return (
    <div class="page home">
      <div class="home-main">
        <Unfinished />
        {me.value?.team && <Queue ready={ready} onBegin={begin} />}
        <section class="panel" aria-label={t("home.title")}>
          <h1>{t("home.title")}</h1>
          <fieldset class="devices">
            <legend>{t("home.device")}</legend>
            <Data data={devices}>
              {(all) =>
                all.length === 0 ? (
                  <p class="hint">{t("home.devices.none")}</p>
                ) : (
                  all.map((one) => <Device key={one.name} device={one} checked={one.name === device} onChoose={() => setChosen(one.name)} />)
                )
              }
            </Data>
          </fieldset>
          <Choice query={query} device={device} ready={ready} onBegin={begin} />
        </section>
      </div>
      <RecentEpisodes />
    </div>
  );
}

/** One's own device is given up for the next demonstration; the one before can be resumed. */
function isFree(device: DeviceView): boolean {
  return device.state === "free" || (device.state === "leased" && device.user === me.value?.name);
}

function Device({ device, checked, onChoose }: { readonly device: DeviceView; readonly checked: boolean; readonly onChoose: () => void }): JSX.Element {
  const free = isFree(device);
  const kind = { free: "good", leased: "", opening: "", sick: "bad" }[device.state];
  return (
    <label class={`choice device${free ? "" : " off"}`}>
      <input type="radio" name="device" checked={checked} disabled={!free} onChange={onChoose} />
      <span>{device.name}</span>
      <span class={`tag ${kind}`}>{t(`device.${device.state}`, { by: device.user, why: device.error })}</span>
    </label>
  );
}

/** A task of a suite, or words of one's own. */
function Choice({
  query,
  device,
  ready,
  onBegin,
}: {
  readonly query: URLSearchParams;
  readonly device: string;
  readonly ready: boolean;
  readonly onBegin: (what: Omit<Start, "device">) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(false);
  const [instruction, setInstruction] = useState("");
  const [picked, setPicked] = useState<{ suite: string; task: string } | null>(
    query.get("suite") && query.get("task") ? { suite: query.get("suite") ?? "", task: query.get("task") ?? "" } : null,
  );
  const what: Omit<Start, "device"> | null = typed ? (instruction.trim() ? { instruction: instruction.trim() } : null) : picked;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (what && ready) onBegin(what);
      }}
    >
      <fieldset class="row wrap">
        <legend>{t("home.what")}</legend>
        <label class="choice">
          <input type="radio" name="what" checked={!typed} onChange={() => setTyped(false)} /> {t("home.what.task")}
        </label>
        <label class="choice">
          <input type="radio" name="what" checked={typed} onChange={() => setTyped(true)} /> {t("home.what.typed")}
        </label>
      </fieldset>
      {typed ? (
        <label class="field">
          <span>{t("home.instruction")}</span>
          <textarea
            rows={2}
            value={instruction}
            placeholder={t("home.instruction.example")}
            onInput={(event) => setInstruction(event.currentTarget.value)}
          />
        </label>
      ) : (
        <TaskPicker suite={query.get("suite")} device={device} picked={picked} onPick={setPicked} />
      )}
      <div class="row end">
        <button type="submit" class="button primary" disabled={!ready || !what}>
          {t("home.start")}
        </button>
      </div>
    </form>
  );
}

function TaskPicker({
  suite: asked,
  device,
  picked,
  onPick,
}: {
  readonly suite: string | null;
  readonly device: string;
  readonly picked: { suite: string; task: string } | null;
  readonly onPick: (picked: { suite: string; task: string }) => void;
}): JSX.Element {
  const suites = useData(() => get("api/suites"), []);
  const [chosen, setChosen] = useState(asked ?? "");
  const suite = chosen || suiteFor(device, suites.value ?? []);
  const [words, setWords] = useState("");
  const settled = useSettled(words, TYPING_MS);
  const tasks = useData(
    () => (suite ? get("api/tasks", { suite, q: settled || undefined }) : Promise.resolve([])),
    [suite, settled],
  );
  const list = useId();
  return (
    <>
      <div class="row">
        {suites.value && suites.value.length > 1 && (
          <label class="field">
            <span>{t("home.suite")}</span>
            <select value={suite} onChange={(event) => setChosen(event.currentTarget.value)}>
              {suites.value.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label class="field grow">
          <span>{t("home.search")}</span>
          <input type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
        </label>
      </div>
      <fieldset class="tasks" id={list}>
        <legend>{t("home.tasks")}</legend>
        <Data data={tasks}>
          {(found) =>
            found.length === 0 ? (
              <p class="hint">{t("home.tasks.none")}</p>
            ) : (
              found.map((task) => (
                <label key={task.id} class="choice task">
                  <input
                    type="radio"
                    name="task"
                    checked={picked?.suite === suite && picked.task === task.id}
                    onChange={() => onPick({ suite, task: task.id })}
                  />
                  <span lang={task.language}>
                    {task.instruction}
                    <small class="hint"> {task.apps.join(", ")} · {t("home.tasks.steps", { n: task.max_steps })}</small>
                  </span>
                </label>
              ))
            )
          }
        </Data>
      </fieldset>
    </>
  );
}

/** The suite that is named as the kind of device is ("phone 2", "fake:live"), else the first. */
function suiteFor(device: string, suites: readonly string[]): string {
  const kind = device.split(/[: ]/)[0] ?? "";
  return suites.find((name) => name === kind) ?? suites[0] ?? "";
}

function Unfinished(): JSX.Element | null {
  const sessions = useData(() => get("api/sessions"), []);
  if (!sessions.value || sessions.value.length === 0) return null;
  return (
    <section class="panel" aria-label={t("home.resume.title")}>
      <h2>{t("home.resume.title")}</h2>
      <ul class="lines">
        {sessions.value.map((one) => (
          <li key={one.session} class="row">
            <span class="grow">
              {one.instruction || t("record.goal.none")}
              <small class="hint"> {t("home.resume.steps", { n: one.steps, device: one.device })}</small>
            </span>
            <a class="button" href={href(["record", one.session])}>
              {t("home.resume")}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the team's queue asks for next. */
function Queue({ ready, onBegin }: { readonly ready: boolean; readonly onBegin: (what: Omit<Start, "device">) => void }): JSX.Element | null {
  const queue = useData(() => get("api/queue/next"), []);
  const item = queue.value?.item;
  if (item === undefined) return null;
  const begin = (): void => {
    if (item === null) return;
    takeItem(item.item)
      .then((taken) => taken && onBegin({ suite: taken.suite, task: taken.task, assignment: taken.item }))
      .catch(notifyError);
  };
  return (
    <section class="panel" aria-label={t("home.queue.title")}>
      <h2>{t("home.queue.title")}</h2>
      {item === null ? (
        <p class="hint">{t("home.queue.empty")}</p>
      ) : (
        <div class="row">
          <span class="grow">{item.instruction || item.task}</span>
          <Button label={t("home.queue.start")} kind="primary" disabled={!ready} onPress={begin} />
        </div>
      )}
    </section>
  );
}

/** A value once it has not changed for a while. */
function useSettled<T>(value: T, restMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
