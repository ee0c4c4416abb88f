// The figures of a run in one line, the rest of them behind a button, and its scores by group as charts.

import type { JSX } from "preact";

import type { RunSummary, RunView } from "../generated/api";
import { t } from "../i18n";
import { Command } from "../library/command";
import { Fact } from "../library/facts";
import { formatTime } from "../library/format";
import { parseLabels, withLabel } from "./rowfilter";
import { Score } from "./score";
import { shellCommand } from "../library/shellcommand";
import { BarChart } from "./barchart";
import { labelName } from "./columns";

const TROUBLES = ["unread", "refused", "cut", "empty", "malformed", "failed", "unavailable"] as const;
type Trouble = (typeof TROUBLES)[number];

export function Figures({ run }: { readonly run: RunView }): JSX.Element {
  const { summary } = run;
  return (
    <section class="panel strip" aria-label={t("run.figures")}>
      <Score value={summary.score} interval={summary.interval} />
      <span>{summary.benchmark}</span>
      <span>{summary.subject}</span>
      <span>{t("run.n", { n: summary.n, answered: summary.answered, expected: summary.expected })}</span>
      {!summary.complete && <span class="tag warn">{t("runs.incomplete")}</span>}
      {troubles(summary).map(([ending, count]) => <span key={ending}>{t(`run.ending.${ending}`)}: {count}</span>)}
      <span class="quiet">{formatTime(summary.created)}</span>
      <details>
        <summary>{t("run.more.figures")}</summary>
        <dl class="facts">
          {summary.cost !== null && <Fact word="run.cost">{Number(summary.cost.toPrecision(3))}</Fact>}
          <Fact word="run.wall">{t("fact.seconds", { seconds: summary.wall_s })}</Fact>
          <Fact word="run.data"><code>{summary.data_sha256.slice(0, 12)}</code></Fact>
          <Fact word="run.version">{summary.tapwright}</Fact>
        </dl>
        <Command line={shellCommand("tapwright", "report", run.directory, "-o", "report.html")} />
      </details>
    </section>
  );
}

/** How queries ended that were not answered, and how many. */
function troubles(summary: RunSummary): readonly (readonly [Trouble, number])[] {
  return TROUBLES.flatMap((ending) => {
    const count = summary.endings[ending] ?? 0;
    return count > 0 ? [[ending, count] as const] : [];
  });
}

/** Each chart of a label filters by it. */
export function Charts({ run, label, onLabel }: {
  readonly run: RunView;
  readonly label: string;
  readonly onLabel: (label: string) => void;
}): JSX.Element {
  const wide = matchMedia("(min-width: 900px)").matches;
  const chosen = parseLabels(label);
  return (
    <details class="charts" open={wide}>
      <summary>{t("run.charts")}</summary>
      {run.tables.map(({ dimension, label: name, groups, cells }) => (
        <BarChart
          key={dimension}
          title={t("run.by", { dimension: labelName(name ?? dimension) })}
          bars={groups.flatMap((group, at) => (cells[at] ? [{ name: group, cell: cells[at] }] : []))}
          chosen={(name !== null && chosen.get(name)) || ""}
          onChoose={name === null ? undefined : (value) => onLabel(withLabel(label, name, value))}
        />
      ))}
    </details>
  );
}
