// On the start page: open demonstrations to resume, and the next item of the team's queue.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { notifyError } from "../components/notices";
import { t } from "../i18n";
import { go, href } from "../router";
import type { LeaseView, SessionView } from "../generated/api";
import { resumeReleased, type Start } from "./start";

/** The user's open demonstrations: to go on comes before anything new. */
export function OpenDemonstrations({ sessions }: { readonly sessions: readonly SessionView[] }): JSX.Element | null {
  if (sessions.length === 0) return null;
  return (
    <section class="panel" aria-label={t("home.resume.title")}>
      <h2>{t("home.resume.title")}</h2>
      <ul class="lines">
        {sessions.map((one) => (
          <li key={one.session} class="row">
            <span class="grow">
              {one.instruction || t("record.goal.none")}
              <small class="hint">
                {" "}
                {t("home.resume.steps", { n: one.steps, device: one.device })}
                {one.released && <> · {t("home.resume.released", { by: one.released })}</>}
              </small>
            </span>
            {one.released ? (
              <Button label={t("home.resume")} kind="primary" onPress={() => void resumeReleased(one.session).then(() => go(["record", one.session]), notifyError)} />
            ) : (
              <a class="button primary" href={href(["record", one.session])}>
                {t("home.resume")}
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export interface NextItemProps {
  readonly item: LeaseView | null;
  readonly ready: boolean;
  /** Nothing else on the page is to be done first. */
  readonly primary: boolean;
  readonly onBegin: (start: Omit<Start, "device">) => void;
}

/** The next item of the team's queue. */
export function NextItem({ item, ready, primary, onBegin }: NextItemProps): JSX.Element {
  return (
    <section class="panel" aria-label={t("home.queue.title")}>
      <h2>{t("home.queue.title")}</h2>
      {item === null ? (
        <p class="hint">{t("home.queue.empty")}</p>
      ) : (
        <div class="row">
          <span class="grow">{item.instruction || item.task}</span>
          <Button label={t("home.queue.start")} kind={primary ? "primary" : "plain"} disabled={!ready} onPress={() => onBegin({ suite: item.suite, task: item.task, assignment: item.item })} />
        </div>
      )}
    </section>
  );
}
