// Episodes as a table: the columns that were chosen, sorted by a press on a column's head.

import type { ComponentChildren, JSX } from "preact";

import type { EntryView } from "../generated/api";
import { t } from "../i18n";
import { appName, formatTime } from "../library/format";
import { Unfit } from "../library/fit";
import { Outcome } from "../library/outcome";
import { RecordingState } from "../library/recordingstate";
import { href, type Query } from "../router";
import { nextSort } from "../tables/sort";
import { formatLanguage } from "./facets";
import { isChosen, NOTHING, turned, type Chosen } from "./selection";
import { sortable, type Column, type EpisodeList } from "./episodelist";

export function EpisodeTable({ list, episodes, chosen, onSort, onChoose, onOpen }: {
  readonly list: EpisodeList;
  readonly episodes: readonly EntryView[];
  /** Nothing where nobody may choose. */
  readonly chosen: Chosen | undefined;
  readonly onSort: (sort: string | undefined) => void;
  readonly onChoose: (chosen: Chosen) => void;
  readonly onOpen: (id: string) => void;
}): JSX.Element {
  const { columns, sort, filter } = list;
  const ids = episodes.map(({ id }) => id);
  const all = chosen !== undefined && ids.every((id) => isChosen(chosen, id));
  return (
    <div class="panel scroll" tabIndex={0} role="region" aria-label={t("episodes.title")}>
      <table class="entries">
        <thead>
          <tr>
            {chosen && <th scope="col"><input type="checkbox" aria-label={t("bulk.page")} checked={all} onChange={() => onChoose(all ? NOTHING : new Set(ids))} /></th>}
            {columns.map((column) => <Head key={column} column={column} sort={sort} onSort={onSort} />)}
            <th scope="col"><span class="visually-hidden">{t("panel.open")}</span></th>
          </tr>
        </thead>
        <tbody>
          {episodes.map((one) => (
            <tr key={one.id} class={one.id === list.open ? "open" : ""} onClick={(event) => opensRow(event) && onOpen(one.id)}>
              {chosen && <td class="pick"><input type="checkbox" aria-label={t("bulk.pick", { id: one.id })} checked={isChosen(chosen, one.id)} onChange={() => onChoose(turned(chosen, one.id, ids))} /></td>}
              {columns.map((column) => <Cell key={column} one={one} column={column} query={{ run: filter.run }} />)}
              <td class="peeks"><button type="button" class="button quiet bare" data-episode={one.id} aria-label={t("panel.peek", { id: one.id })} onClick={() => onOpen(one.id)}>▸</button></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function opensRow({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest("a, button, input") === null;
}

function Head({ column, sort, onSort }: {
  readonly column: Column;
  readonly sort: string;
  readonly onSort: (sort: string | undefined) => void;
}): JSX.Element {
  const name = t(`column.${column}`);
  if (!sortable(column)) return <th scope="col">{name}</th>;
  return (
    <th scope="col" aria-sort={sort === column ? "ascending" : sort === `-${column}` ? "descending" : undefined}>
      <button type="button" class="link" title={t("column.sort", { column: name })} onClick={() => onSort(nextSort(sort, column))}>
        {name}
        <span aria-hidden="true">{sort === column ? " ↑" : sort === `-${column}` ? " ↓" : ""}</span>
      </button>
    </th>
  );
}

function Cell({ one, column, query }: { readonly one: EntryView; readonly column: Column; readonly query: Query }): JSX.Element {
  if (column === "instruction") {
    return (
      <th scope="row">
        <a href={href(["episodes", one.id], query)}>{one.instruction || one.task || one.id}</a>
        <small class="quiet mono">{one.id}</small>
      </th>
    );
  }
  return <td data-name={t(`column.${column}`)}>{cellText(one, column)}</td>;
}

function cellText(one: EntryView, column: Exclude<Column, "instruction">): ComponentChildren {
  switch (column) {
    case "app":
      return <span title={one.apps.join("\n")}>{one.apps.map(appName).join(", ") || "–"}</span>;
    case "language":
      return formatLanguage(one.language);
    case "outcome":
      return <Outcome of={one} />;
    case "duration":
      return t("fact.seconds", { seconds: Math.round(one.duration_s) });
    case "tag":
      return <Tags tags={one.tags} />;
    case "created":
      return <span class="quiet">{formatTime(one.created) || "–"}</span>;
    case "review":
      return <RecordingState state={one.review} />;
    case "comments":
      return one.comments === 0 ? "–" : <span title={one.comment}>{one.comments} <span class="quiet said">{one.comment}</span></span>;
    case "unfit":
      return one.unfit === 0 ? "–" : <Unfit of={one} />;
    case "steps":
    case "version":
    case "reviewed":
      return one[column];
    default:
      return one[column] || "–";
  }
}

export function Tags({ tags }: { readonly tags: readonly string[] }): JSX.Element {
  return <span class="tags">{tags.length === 0 ? "–" : tags.map((tag) => <span key={tag} class="tag">{tag}</span>)}</span>;
}
