// Chooses a task of a suite: the next one that is not recorded, or any; says what is recorded of each.

import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { t } from "../i18n";
import { suiteFor } from "../library/suitefor";
import type { DemonstrationCounts, SuiteProgress } from "../generated/api";
import type { Start } from "./start";

const TYPING_MS = 150;

export interface PickedTask {
  readonly suite: string;
  readonly task: string;
}

export interface TaskPickerProps {
  readonly suite: string | null;
  readonly device: string;
  readonly picked: PickedTask | null;
  readonly ready: boolean;
  /** Nothing else on the page is to be done first. */
  readonly primary: boolean;
  readonly onPick: (picked: PickedTask) => void;
  readonly onBegin: (start: Omit<Start, "device">) => void;
}

export function TaskPicker({ suite: requested, device, picked, ready, primary, onPick, onBegin }: TaskPickerProps): JSX.Element {
  const suites = useData(() => get("api/suites"), []);
  const [chosen, setChosen] = useState(requested ?? "");
  const suite = chosen || suiteFor(device, suites.value ?? []);
  const [text, setText] = useState("");
  const [missing, setMissing] = useState(false);
  const query = useDebounced(text, TYPING_MS);
  const tasks = useData(
    () => (suite ? get("api/tasks", { suite, q: query || undefined, missing: missing || undefined }) : Promise.resolve([])).then((rows) => ({ suite, rows })),
    [suite, query, missing],
  );
  // Until those of this suite are there, nothing is said of them, nor can others be chosen for it.
  const shown = {
    value: suites.value && tasks.value?.suite === suite ? tasks.value.rows : undefined,
    error: suites.error ?? tasks.error,
    reload: () => {
      suites.reload();
      tasks.reload();
    },
  };
  // Apart from the tasks: a store that is looked at for the first time takes a while.
  const progress = useData(() => (suite ? get("api/tasks/progress", { suite }) : Promise.resolve(null)), [suite]);
  const known = progress.value?.suite === suite ? progress.value : null;
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
      {known && (
        <NextTask
          progress={known}
          ready={ready}
          primary={primary && picked === null}
          onBegin={(task) => onBegin({ suite, task })}
        />
      )}
      <fieldset class="tasks" id={list}>
        <legend>
          {t("home.tasks")}
          {known && (
            <label class="choice missing">
              <input type="checkbox" checked={missing} onChange={(event) => setMissing(event.currentTarget.checked)} /> {t("home.tasks.missing")}
            </label>
          )}
        </legend>
        <Data data={shown}>
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
                  <span class="grow" lang={task.language}>
                    {task.instruction}
                    <small class="hint"> {task.apps.join(", ")} · {t("home.tasks.steps", { n: task.max_steps })}</small>
                  </span>
                  <TaskState counts={known?.counts[task.id]} />
                </label>
              ))
            )
          }
        </Data>
      </fieldset>
    </>
  );
}

interface NextTaskProps {
  readonly progress: SuiteProgress;
  readonly ready: boolean;
  readonly primary: boolean;
  readonly onBegin: (task: string) => void;
}

/** How much of the suite is recorded, and the first task that is not. */
function NextTask({ progress, ready, primary, onBegin }: NextTaskProps): JSX.Element {
  const { next, recorded, tasks } = progress;
  return (
    <div class="next-task">
      <p class="hint">
        <progress aria-label={t("home.progress")} max={Math.max(1, tasks)} value={recorded} /> {t("home.progress.of", { recorded, tasks })}
      </p>
      {next && (
        <div class="row">
          <span class="grow">
            <span class="quiet">{t("home.next")}</span> <span lang={next.language}>{next.instruction}</span>
          </span>
          <Button label={t("home.next.start")} kind={primary ? "primary" : "plain"} disabled={!ready} onPress={() => onBegin(next.id)} />
        </div>
      )}
    </div>
  );
}

/** What there is of a task, the furthest first; nothing where there is nothing. */
function TaskState({ counts }: { readonly counts: DemonstrationCounts | undefined }): JSX.Element | null {
  if (!counts) return null;
  const kept = counts.recorded - counts.rejected;
  if (kept > 0) return <span class="tag good">{t("home.tasks.recorded", { n: kept })}</span>;
  if (counts.open > 0) return <span class="tag warn">{t("home.tasks.open")}</span>;
  return counts.interrupted > 0 ? <span class="tag">{t("home.tasks.interrupted")}</span> : null;
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
