// Inter-annotator agreement of recordings of the same task.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { t } from "../i18n";
import { formatOutcome, formatPercent } from "../library/format";
import { href } from "../router";

export function Agreement(): JSX.Element {
  const data = useData(() => get("api/team/agreement"), []);
  return (
    <section class="panel" tabIndex={0} aria-label={t("team.agreement")}>
      <h2>{t("team.agreement")}</h2>
      <Data data={data}>
        {(found) => found.tasks.length === 0 ? <p class="quiet">{t("team.agreement.none")}</p> : (
          <>
            <dl class="figures">
              <div><dt>{t("team.sameOutcome")}</dt><dd>{formatPercent(found.same_outcome)}</dd></div>
              <div><dt>{t("team.alpha")}</dt><dd>{found.alpha?.toFixed(2) ?? "–"}</dd></div>
              <div><dt>{t("team.sameStep")}</dt><dd>{formatPercent(found.same_step)}</dd></div>
              <div><dt>{t("team.stepAlpha")}</dt><dd>{found.step_alpha?.toFixed(2) ?? "–"}</dd></div>
              <div><dt>{t("team.similarity")}</dt><dd>{formatPercent(found.action_similarity)}</dd></div>
            </dl>
            {(found.alpha === null || found.step_alpha === null) && <p class="quiet">{t("team.alpha.none")}</p>}
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("team.task")}</th>
                  <th scope="col">{t("team.outcomes")}</th>
                  <th scope="col">{t("team.sameStep")}</th>
                  <th scope="col">{t("team.similarity")}</th>
                </tr>
              </thead>
              <tbody>
                {found.tasks.map((one) => (
                  <tr key={one.item}>
                    <th scope="row"><a href={href(["takes"], { task: one.task })}>{one.task}</a> <span class="quiet">{one.suite}</span></th>
                    <td data-name={t("team.outcomes")}>
                      {one.people.map((name, index) => (
                        <div key={name}>{t("team.take", { name, outcome: formatOutcome(one.outcomes[index] ?? "unknown"), count: one.steps[index] ?? 0 })}</div>
                      ))}
                    </td>
                    <td data-name={t("team.sameStep")}>{formatPercent(one.same_step)}</td>
                    <td data-name={t("team.similarity")}>{formatPercent(one.action_similarity)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </>
        )}
      </Data>
    </section>
  );
}
