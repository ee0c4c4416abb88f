// The opened sample beside the list: its picture, or the film strips of all attempts, facts, log entry.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import type { SampleDetail } from "../generated/api";
import { t } from "../i18n";
import { Fact } from "../library/facts";
import { filterQuery, type RowFilter } from "./rowfilter";
import { SampleFacts, SamplePicture, Verdict } from "./samples";
import { Film } from "./film";
import { EpisodeLink } from "./gallery";

export interface SamplePanelProps {
  readonly run: string;
  readonly sample: string;
  readonly filter: RowFilter;
  /** Opens a sample that is the `place`-th of the rows that fit, from 0. */
  readonly onOpen: (key: string, place: number) => void;
  readonly onClose: () => void;
}

export function SamplePanel(props: SamplePanelProps): JSX.Element {
  const { run, sample, filter } = props;
  const data = useData(() => get("api/run/sample", { name: run, key: sample, ...filterQuery(filter) }), [run, sample, JSON.stringify(filter)]);
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another sample is read out anew
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest(".opened")?.scrollIntoView({ block: "nearest" });
  }, [sample]);
  return (
    <section class="panel opened" aria-label={t("run.sample", { key: sample })}>
      <div class="row">
        <h2 class="grow" tabIndex={-1} ref={heading}>{t("run.sample", { key: sample })}</h2>
        <Button label={t("close")} keys="Escape" onPress={props.onClose} />
      </div>
      <Data data={data}>{(detail) => <Opened {...props} detail={detail} />}</Data>
    </section>
  );
}

function Opened({ run, detail, onOpen }: SamplePanelProps & { readonly detail: SampleDetail }): JSX.Element {
  const { row, place, found, before, after, attempts, log } = detail;
  const go = (key: string | null, by: number): void => {
    if (key !== null && place !== null) onOpen(key, place + by);
  };
  return (
    <>
      <div class="row">
        <Button label={t("run.before")} keys="K" disabled={before === null} onPress={() => go(before, -1)} />
        <Button label={t("run.next")} keys="J" disabled={after === null} onPress={() => go(after, 1)} />
        <span class="quiet" role="status">{place === null ? t("run.unfit") : t("run.place", { place: place + 1, found })}</span>
      </div>
      <p class="tags"><Verdict row={row} /></p>
      <SamplePicture name={run} row={row} />
      <SampleFacts row={row} />
      <dl class="facts">
        <Fact word="fact.latency">{t("fact.seconds", { seconds: row.latency_s.toFixed(2) })}</Fact>
        {row.tokens > 0 && <Fact word="fact.tokens">{row.tokens}</Fact>}
      </dl>
      {attempts.some((one) => one.film !== null) && <h3>{t("run.attempts")}</h3>}
      {attempts.map((one) => one.film && one.episode !== null && (
        <div key={one.key}>
          <p class="tags"><strong>{t("run.attempt", { key: one.key })}</strong> <Verdict row={one} /> <EpisodeLink run={run} id={one.episode} /></p>
          <Film run={run} attempt={one.key} episode={one.episode} film={one.film} links />
        </div>
      ))}
      <details class="log">
        <summary>{t("sample.log")}</summary>
        <code class="log">{JSON.stringify(log, null, 2)}</code>
      </details>
    </>
  );
}
