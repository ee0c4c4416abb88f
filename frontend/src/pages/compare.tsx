// The comparison of two runs on the same data: the difference, and the samples that differ.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Command } from "../library/command";
import { Fact } from "../library/facts";
import { PointMark } from "../library/marks";
import { SamplePicture, Verdict } from "../runs/samples";
import { Score } from "../runs/score";
import { shellCommand } from "../library/shellcommand";
import type { ComparisonView, RunSummary, SampleView } from "../generated/api";
import { formatPoints } from "../library/format";
import { go, href } from "../router";
import { formatP } from "../runs/pairs";
import "../library/library.css";
import "../runs/runs.css";

const PAGE = 24;

export default function Compare({ query }: PageProps): JSX.Element {
  const [a, b] = [query.get("a") ?? "", query.get("b") ?? ""];
  useTitle(t("compare.title"));
  const data = useData(() => get("api/compare", { a, b }), [a, b]);
  return (
    <div class="page library runpage library-pages runs-pages">
      <h1>{t("compare.title")}</h1>
      <Data data={data}>{(found) => <Found found={found} query={query} />}</Data>
    </div>
  );
}

function Found({ found, query }: { readonly found: ComparisonView; readonly query: URLSearchParams }): JSX.Element {
  const { before, after } = found;
  const change = query.get("change") ?? "";
  const narrow = (next: string): void => go(["compare"], { a: before.name, b: after.name, change: change === next ? undefined : next });
  const swap = (): void => go(["compare"], { a: after.name, b: before.name, change: change === "gained" ? "lost" : change === "lost" ? "gained" : undefined });
  return (
    <>
      <div class="toolbar">
        <Button label={t("compare.swap")} icon="⇄" onPress={swap} />
        <a href={href(["matrix"], { runs: JSON.stringify([before.name, after.name]) })}>{t("matrix.link")}</a>
      </div>
      <div class="columns">
        <Side title={t("compare.before")} kind="one" run={before} score={found.before_score} />
        <Side title={t("compare.after")} kind="other" run={after} score={found.after_score} />
        <section class="panel" aria-label={t("compare.difference")}>
          <h2>{t("compare.difference")}</h2>
          <p class="figure">{t("compare.points", { points: formatPoints(found.difference) })}</p>
          <p>{found.interval && t("compare.interval", { low: formatPoints(found.interval[0]), high: formatPoints(found.interval[1]) })}</p>
          <dl class="facts inline">
            <Fact word="compare.p">{formatP(found.p_value)}</Fact>
            <Fact word="compare.pairs">{found.n}</Fact>
            <Fact word="compare.ties">{found.ties}</Fact>
            {found.unpaired > 0 && <Fact word="compare.unpaired">{found.unpaired}</Fact>}
          </dl>
        </section>
      </div>
      {found.header.length > 0 && <Differences found={found} />}
      <div class="row badges" role="group" aria-label={t("compare.flips")}>
        <Button label={`${t("compare.gained")} ${found.gained}`} pressed={change === "gained"} onPress={() => narrow("gained")} />
        <Button label={`${t("compare.lost")} ${found.lost}`} pressed={change === "lost"} onPress={() => narrow("lost")} />
      </div>
      <Flips found={found} change={change} />
      <Command line={shellCommand("tapwright", "eval", "compare", before.directory, after.directory, "--flips")} />
    </>
  );
}

function Side({ title, kind, run, score }: { readonly title: string; readonly kind: string; readonly run: RunSummary; readonly score: number }): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <h2><span class={`swatch ${kind}`} aria-hidden="true" /> {title}</h2>
      <p><a href={href(["runs", run.name])}>{run.name}</a> <span class="quiet">{run.subject}</span></p>
      <Score value={score} interval={run.interval} />
    </section>
  );
}

function Differences({ found }: { readonly found: ComparisonView }): JSX.Element {
  return (
    <details class="panel">
      <summary>{t("compare.header")}</summary>
      <table>
        <tbody>
          {found.header.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td><code>{JSON.stringify(before)}</code></td>
              <td><code>{JSON.stringify(after)}</code></td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Flips({ found, change }: { readonly found: ComparisonView; readonly change: string }): JSX.Element {
  const [most, setMost] = useState(PAGE);
  const flips = found.flips.filter((flip) => change === "" || flip.change === change);
  return (
    <>
      <p class="quiet" role="status">{t("compare.found", { count: flips.length })}</p>
      <ul class="gallery">
        {flips.slice(0, most).map((flip) => (
          <li key={flip.key} class="panel">
            <div class="sample">
            <SamplePicture name={found.before.name} row={flip.before} small others={<Both before={flip.before} after={flip.after} />} />
            <span class="tags"><span class={`tag ${flip.change === "gained" ? "good" : "bad"}`}>{t(`compare.${flip.change}`)}</span></span>
            <span>{flip.instruction}</span>
            <Answer kind="one" run={found.before.name} row={flip.before} />
            <Answer kind="other" run={found.after.name} row={flip.after} />
            </div>
          </li>
        ))}
      </ul>
      {flips.length > most && <Button label={t("run.more", { left: flips.length - most })} onPress={() => setMost(most + PAGE)} />}
    </>
  );
}

function Answer({ kind, run, row }: { readonly kind: string; readonly run: string; readonly row: SampleView }): JSX.Element {
  return (
    <span class="answer">
      <span class={`swatch ${kind}`} aria-hidden="true" /> <a href={href(["runs", run], { sample: row.key })}>{row.chosen || row.answer || row.error || row.key}</a> <Verdict row={row} />
      {row.episode !== null && <> <a href={href(["episodes", row.episode], { run })}>{t("episodes.steps", { count: row.steps ?? 0 })}</a></>}
    </span>
  );
}

function Both({ before, after }: { readonly before: SampleView; readonly after: SampleView }): JSX.Element {
  const size = { width: before.size?.[0] ?? 1, height: before.size?.[1] ?? 1 };
  return (
    <>
      {before.point && <PointMark name="one" at={{ x: before.point[0], y: before.point[1] }} size={size} />}
      {after.point && <PointMark name="other" at={{ x: after.point[0], y: after.point[1] }} size={size} />}
    </>
  );
}
