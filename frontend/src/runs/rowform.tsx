// The filter of a run's rows: words, labels with how many rows each leaves, order, results, view, files.

import type { JSX } from "preact";

import { fileUrl } from "../api";
import { Button } from "../components/button";
import type { RowFacets } from "../generated/api";
import { t } from "../i18n";
import { Downloads } from "../library/downloads";
import { heading } from "../library/format";
import { CLEARED, filterQuery, parseLabels, withLabel, type RowFilter } from "./rowfilter";
import { formatMistake } from "./samples";
import { withChosen } from "../tables/counts";
import { FilterForm } from "../tables/filterform";
import { Search } from "../tables/search";
import type { Query } from "../router";
import { COLUMNS, columnName, labelName } from "./columns";

export interface RowFormProps {
  readonly run: string;
  readonly filter: RowFilter;
  readonly facets: RowFacets;
  readonly view: "gallery" | "table";
  readonly played: boolean;
  readonly narrow: (values: Query) => void;
}

export function RowForm({ run, filter, facets, view, played, narrow }: RowFormProps): JSX.Element {
  const labels = parseLabels(filter.label);
  const filtered = Object.keys(filterQuery({ ...filter, sort: "" })).length > 0;
  return (
    <FilterForm count={labels.size + [filter.verdict, filter.mistake].filter(Boolean).length} search={<Search text={filter.q} onText={(q) => narrow({ q: q || undefined })} />}>
      {Object.entries(facets.labels).map(([name, counts]) => (
        <label key={name} class="field">
          <span>{heading(labelName(name))}</span>
          <select value={labels.get(name) ?? ""} onChange={(event) => narrow({ label: withLabel(filter.label, name, event.currentTarget.value) || undefined })}>
            <option value="">{t("filter.any")}</option>
            {withChosen(counts, labels.get(name)).map(([value, count]) => <option key={value} value={value}>{t("filter.option", { value, count })}</option>)}
          </select>
        </label>
      ))}
      <label class="field">
        <span>{t("filter.sort")}</span>
        <select value={filter.sort} onChange={(event) => narrow({ sort: event.currentTarget.value || undefined })}>
          <option value="">{t("run.sort.log")}</option>
          {[...COLUMNS.filter((column) => played || column !== "steps"), ...Object.keys(facets.labels)].flatMap((column) => [
            <option key={column} value={column}>{t("run.sort.up", { column: columnName(column) })}</option>,
            <option key={`-${column}`} value={`-${column}`}>{t("run.sort.down", { column: columnName(column) })}</option>,
          ])}
        </select>
      </label>
      <div class="row badges" role="group" aria-label={t("filter.verdict")}>
        {(["hit", "miss", "unscored", "failed"] as const).filter((verdict) => facets.verdict[verdict] || filter.verdict === verdict).map((verdict) => (
          <Button key={verdict} label={`${t(`verdict.${verdict}`)} ${facets.verdict[verdict] ?? 0}`} pressed={filter.verdict === verdict}
            onPress={() => narrow({ verdict: filter.verdict === verdict ? undefined : verdict })} />
        ))}
        {withChosen(facets.mistake, filter.mistake).map(([mistake, count]) => (
          <Button key={mistake} label={`${formatMistake(mistake)} ${count}`} pressed={filter.mistake === mistake}
            onPress={() => narrow({ mistake: filter.mistake === mistake ? undefined : mistake })} />
        ))}
        {filtered && <Button label={t("filter.clear")} kind="quiet" onPress={() => narrow(CLEARED)} />}
        <span class="gap" />
        <Downloads label={t("run.export")} address={(format) => fileUrl("api/run/export", { name: run, ...filterQuery(filter), format })} />
        <span class="row" role="group" aria-label={t("run.view")}>
          {(["gallery", "table"] as const).map((one) => (
            <Button key={one} label={t(`run.view.${one}`)} pressed={view === one} onPress={() => narrow({ view: one === "gallery" ? undefined : one })} />
          ))}
        </span>
      </div>
    </FilterForm>
  );
}
