// The form that begins a demonstration: a task of a suite, or an instruction.

import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { t } from "../i18n";
import type { Start } from "./start";

const TYPING_MS = 150;

/** Chooses a task of a suite, or an instruction. */
export function NewDemonstration({
  query,
  device,
  ready,
  primary,
  onBegin,
}: {
  readonly query: URLSearchParams;
  readonly device: string;
  readonly ready: boolean;
  /** Nothing else on the page is to be done first. */
  readonly primary: boolean;
  readonly onBegin: (start: Omit<Start, "device">) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(false);
  const [instruction, setInstruction] = useState("");
  const [picked, setPicked] = useState<{ suite: string; task: string } | null>(
    query.get("suite") && query.get("task") ? { suite: query.get("suite") ?? "", task: query.get("task") ?? "" } : null,
  );
  const chosen: Omit<Start, "device"> | null = typed ? (instruction.trim() ? { instruction: instruction.trim() } : null) : picked;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen && ready) onBegin(chosen);
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
        <button type="submit" class={`button${primary ? " primary" : ""}`} disabled={!ready || !chosen}>
          {t("home.start")}
        </button>
      </div>
    </form>
  );
}

function TaskPicker({
  suite: requested,
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
  const [chosen, setChosen] = useState(requested ?? "");
  const suite = chosen || suiteFor(device, suites.value ?? []);
  const [text, setText] = useState("");
  const query = useDebounced(text, TYPING_MS);
  const tasks = useData(
    () => (suite ? get("api/tasks", { suite, q: query || undefined }) : Promise.resolve([])),
    [suite, query],
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
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
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

/** A value once it has not changed for `restMs`. */
function useDebounced<T>(value: T, restMs: number): T {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return debounced;
}
