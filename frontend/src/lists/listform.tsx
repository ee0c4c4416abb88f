// How a list of episodes is shown: words and facets that narrow it, order, columns, cards or a table.

import type { JSX } from "preact";

import { ChangeMenu } from "../changes/changemenu";
import { Button } from "../components/button";
import type { EpisodeFacets } from "../generated/api";
import { t } from "../i18n";
import type { Query } from "../router";
import { ChosenFiles } from "./bulk";
import type { Chosen } from "./selection";
import { CLEARED, COLUMNS, countNarrowing, formatColumns, NEWEST, sortable, type Column, type EpisodeList } from "./episodelist";
import { Facets } from "./facets";
import { FilterForm } from "../tables/filterform";
import { Search } from "../tables/search";
import { ViewMenu } from "./viewmenu";

export function ListForm({ list, query, facets, chosen, mayChange, narrow, show }: {
  readonly query: URLSearchParams;
  readonly list: EpisodeList;
  readonly chosen: Chosen;
  readonly facets: EpisodeFacets | undefined;
  readonly mayChange: boolean;
  /** Changes which episodes there are, from the first page. */
  readonly narrow: (values: Query) => void;
  /** Changes how they are shown. */
  readonly show: (values: Query) => void;
}): JSX.Element {
  const { filter, sort, view, columns } = list;
  const { run: _, ...narrowed } = filter;
  return (
    <FilterForm count={countNarrowing(filter)} search={<Search text={filter["q"] ?? ""} onText={(q) => narrow({ q: q || undefined })} />}>
      <Facets facets={facets} filter={filter} narrow={narrow} />
      <div class="row badges">
        <label class="order">
          <span>{t("filter.sort")}</span>
          <select value={sort} onChange={(event) => narrow({ sort: event.currentTarget.value === NEWEST ? undefined : event.currentTarget.value })}>
            {COLUMNS.filter(sortable).flatMap((column) => [
              <option key={column} value={column}>{orderName(column)}</option>,
              <option key={`-${column}`} value={`-${column}`}>{orderName(column, true)}</option>,
            ])}
          </select>
        </label>
        <label class="choice">
          <input type="checkbox" checked={filter.commented === "yes"} onChange={(event) => narrow({ commented: event.currentTarget.checked ? "yes" : undefined })} /> {t("episodes.commented")}
        </label>
        {Object.keys(narrowed).length > 0 && <Button label={t("filter.clear")} kind="quiet" onPress={() => narrow(CLEARED)} />}
        <span class="gap" />
        <ChosenFiles list={list} chosen={chosen} />
        {mayChange && <ChangeMenu />}
        <ViewMenu query={query} />
        {view === "table" && <ColumnChoice columns={columns} onColumns={(chosen) => show({ columns: formatColumns(chosen) })} />}
        <span class="row" role="group" aria-label={t("run.view")}>
          <Button label={t("run.view.table")} pressed={view === "table"} onPress={() => show({ view: undefined })} />
          <Button label={t("episodes.view.cards")} pressed={view === "cards"} onPress={() => show({ view: "cards" })} />
        </span>
      </div>
    </FilterForm>
  );
}

function orderName(column: Column, down = false): string {
  if (column === "created") return t(down ? "sort.newest" : "sort.oldest");
  return t(down ? "run.sort.down" : "run.sort.up", { column: t(`column.${column}`) });
}

function ColumnChoice({ columns, onColumns }: { readonly columns: readonly Column[]; readonly onColumns: (columns: readonly Column[]) => void }): JSX.Element {
  return (
    <details class="choice-list">
      <summary class="button">{t("episodes.columns")}</summary>
      <fieldset class="panel">
        <legend class="visually-hidden">{t("episodes.columns")}</legend>
        {COLUMNS.map((column) => (
          <label key={column}>
            <input type="checkbox" checked={columns.includes(column)} disabled={column === "instruction"}
              onChange={(event) => onColumns(event.currentTarget.checked ? [...columns, column] : columns.filter((one) => one !== column))} />
            <span>{t(`column.${column}`)}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
