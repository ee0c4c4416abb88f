// On the start page: open demonstrations to resume, and the next item of the team's queue.

import type { JSX } from "preact";

import { get } from "../api";
import { Button } from "../components/button";
import { useData } from "../components/data";
import { notifyError } from "../components/notices";
import { t } from "../i18n";
import { href } from "../router";
import { leaseItem, type Start } from "./start";

/** The user's open demonstrations. */
export function OpenDemonstrations(): JSX.Element | null {
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

/** The next item of the team's queue. */
export function NextItem({ ready, onBegin }: { readonly ready: boolean; readonly onBegin: (start: Omit<Start, "device">) => void }): JSX.Element | null {
  const queue = useData(() => get("api/queue/next"), []);
  const item = queue.value?.item;
  if (item === undefined) return null;
  const begin = (): void => {
    if (item === null) return;
    leaseItem(item.item)
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
