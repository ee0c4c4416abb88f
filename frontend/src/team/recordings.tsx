// What is recorded: by suite, by task of the suite that is chosen, and by person.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { fileUrl, get } from "../api";
import { Data, useData, useRefresh } from "../components/data";
import { t, type Word } from "../i18n";
import { Downloads } from "../library/downloads";
import type { DemonstrationCounts, TeamRecordings } from "../generated/api";
import { TaskTable } from "./tasktable";

/** How often the counts are read again while they are looked at, in milliseconds. */
const REFRESH_MS = 10_000;

export function Recordings(): JSX.Element {
  const data = useData(() => get("api/team/recordings"), []);
  useRefresh(data, REFRESH_MS);
  const [suite, setSuite] = useState<string | null>(null);
  return (
    <section class="panel progress" aria-label={t("team.recordings")}>
      <h2>{t("team.recordings")}</h2>
      <Data data={data}>
        {({ suites, people }) => (
          <>
            <SuiteTable suites={suites} chosen={suite} onChoose={(name) => setSuite(name === suite ? null : name)} />
            {suite !== null && <TaskTable key={suite} suite={suite} />}
            <PersonTable people={people} />
          </>
        )}
      </Data>
    </section>
  );
}

interface SuiteTableProps {
  readonly suites: TeamRecordings["suites"];
  readonly chosen: string | null;
  readonly onChoose: (suite: string) => void;
}

function SuiteTable({ suites, chosen, onChoose }: SuiteTableProps): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t("team.suites")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("team.suite")}</th>
            <th scope="col">{t("team.covered")}</th>
            <CountHeads />
            <th scope="col">{t("team.inQueue")}</th>
          </tr>
        </thead>
        <tbody>
          {suites.map((one) => (
            <tr key={one.suite}>
              <th scope="row">
                {one.tasks === 0 ? (
                  one.suite || t("team.suite.own")
                ) : (
                  <button type="button" class="link" aria-expanded={chosen === one.suite} onClick={() => onChoose(one.suite)}>
                    {one.suite}
                  </button>
                )}
              </th>
              <td data-name={t("team.covered")}>{one.tasks > 0 && <Share done={one.covered} of={one.tasks} label={t("team.covered")} />}</td>
              <CountCells counts={one.counts} />
              <td data-name={t("team.inQueue")}>{one.wanted > 0 && <Share done={one.done} of={one.wanted} label={t("team.inQueue")} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PersonTable({ people }: { readonly people: TeamRecordings["people"] }): JSX.Element | null {
  if (people.length === 0) return null;
  return (
    <>
      <div class="row wrap">
        <h3>{t("team.people")}</h3>
        <span class="row"><span class="quiet">{t("team.work")}</span> <Downloads label={t("team.work")} address={(format) => fileUrl("api/team/work", { format })} /></span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={t("team.people")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("team.name")}</th>
              <CountHeads />
              <th scope="col">{t("team.ofQueue")}</th>
            </tr>
          </thead>
          <tbody>
            {people.map((one) => (
              <tr key={one.name}>
                <th scope="row">{one.name}</th>
                <CountCells counts={one.counts} />
                <td data-name={t("team.ofQueue")}>{one.wanted > 0 && <Share done={one.done} of={one.wanted} label={t("team.ofQueue")} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const STATES: readonly (keyof DemonstrationCounts)[] = ["recorded", "accepted", "rejected", "open", "interrupted"];
const STATE_WORDS: Readonly<Record<keyof DemonstrationCounts, Word>> = {
  recorded: "team.state.recorded",
  accepted: "team.state.accepted",
  rejected: "team.state.rejected",
  open: "team.state.open",
  interrupted: "team.state.interrupted",
};

export function CountHeads(): JSX.Element {
  return <>{STATES.map((state) => <th key={state} scope="col" class="count">{t(STATE_WORDS[state])}</th>)}</>;
}

export function CountCells({ counts }: { readonly counts: DemonstrationCounts }): JSX.Element {
  return <>{STATES.map((state) => <td key={state} class={`count${counts[state] ? "" : " quiet"}`} data-name={t(STATE_WORDS[state])}>{counts[state]}</td>)}</>;
}

export function Share({ done, of, label }: { readonly done: number; readonly of: number; readonly label: string }): JSX.Element {
  return (
    <span class="share">
      <progress aria-label={label} max={of} value={done} /> {t("team.share", { done, of })}
    </span>
  );
}
