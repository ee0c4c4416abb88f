// The tasks of a suite, with what is recorded of each.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { t } from "../i18n";
import { href } from "../router";
import { CountCells, CountHeads, Share } from "./recordings";

const SHOWS = ["all", "missing", "open", "wanted"] as const;
type Show = (typeof SHOWS)[number];

export function TaskTable({ suite }: { readonly suite: string }): JSX.Element {
  const [show, setShow] = useState<Show>("missing");
  const [text, setText] = useState("");
  const data = useData(() => get("api/team/recordings/tasks", { suite, show, q: text || undefined }), [suite, show, text]);
  return (
    <section class="sunk" aria-label={t("team.tasksOf", { suite })}>
      <h3>{t("team.tasksOf", { suite })}</h3>
      <div class="line">
        <select aria-label={t("team.show")} value={show} onChange={(event) => setShow(event.currentTarget.value as Show)}>
          {SHOWS.map((one) => <option key={one} value={one}>{t(`team.show.${one}`)}</option>)}
        </select>
        <input type="search" aria-label={t("home.search")} placeholder={t("home.search")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
      <Data data={data}>
        {({ found, rows }) => rows.length === 0 ? <p class="quiet">{t("home.tasks.none")}</p> : (
          <>
            <p class="quiet" role="status">{t(found > rows.length ? "team.found.first" : "team.found", { found, shown: rows.length })}</p>
            <div class="scroll" tabIndex={0} role="group" aria-label={t("team.tasksOf", { suite })}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("team.task")}</th>
                    <CountHeads />
                    <th scope="col">{t("team.inQueue")}</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.task}>
                      <th scope="row">
                        <a href={href(["episodes"], { task: row.task })}>{row.task}</a> <span class="quiet">{row.instruction}</span>
                      </th>
                      <CountCells counts={row.counts} />
                      <td data-name={t("team.inQueue")}>{row.wanted > 0 && <Share done={row.done} of={row.wanted} label={t("team.inQueue")} />}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </Data>
    </section>
  );
}
