// Every evaluation run with its score; two of them on the same data can be compared.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Score } from "../library/score";
import type { RunSummary } from "../generated/api";
import { formatTime } from "../library/format";
import { go, href } from "../router";
import "../library/library.css";

export default function RunsPage(_: PageProps): JSX.Element {
  useTitle(t("runs.title"));
  const data = useData(() => get("api/runs"), []);
  return (
    <div class="page library">
      <h1>{t("runs.title")}</h1>
      <Data data={data}>
        {({ runs, unreadable }) => (
          <>
            {unreadable.map((message) => <p key={message} class="banner bad">{message}</p>)}
            {runs.length === 0 ? <p class="panel">{t("runs.none")}</p> : <Table runs={runs} />}
          </>
        )}
      </Data>
    </div>
  );
}

function Table({ runs }: { readonly runs: readonly RunSummary[] }): JSX.Element {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const turn = (name: string): void => setChosen(chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name].slice(-2));
  const [one, other] = chosen;
  return (
    <>
      <div class="toolbar">
        <span class="quiet">{t("runs.choose")}</span>
        <Button label={t("runs.compare")} disabled={one === undefined || other === undefined} onPress={() => go(["compare"], { a: one, b: other })} />
      </div>
      <div class="panel scroll" tabIndex={0} role="region" aria-label={t("runs.title")}>
        <table>
          <thead>
            <tr>
              <th scope="col"><span class="visually-hidden">{t("runs.pick")}</span></th>
              <th scope="col">{t("runs.name")}</th>
              <th scope="col">{t("runs.benchmark")}</th>
              <th scope="col">{t("runs.subject")}</th>
              <th scope="col">{t("runs.score")}</th>
              <th scope="col">{t("runs.n")}</th>
              <th scope="col">{t("runs.started")}</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.name}>
                <td><input type="checkbox" aria-label={t("runs.pick.one", { name: run.name })} checked={chosen.includes(run.name)} onChange={() => turn(run.name)} /></td>
                <th scope="row"><a href={href(["runs", run.name])}>{run.name}</a></th>
                <td>{run.benchmark}</td>
                <td>{run.subject}</td>
                <td><Score value={run.score} interval={run.interval} /></td>
                <td>{run.answered}/{run.expected}{!run.complete && <> <span class="tag warn">{t("runs.incomplete")}</span></>}</td>
                <td class="quiet">{formatTime(run.created)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
