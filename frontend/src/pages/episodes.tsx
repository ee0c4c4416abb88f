// The episodes of a store: a gallery of first and last screens, with a filter that is in the address.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Command } from "../library/command";
import { thumbnailUrl } from "../library/imageurls";
import { shellCommand } from "../library/shellcommand";
import type { EntryView, EpisodePage } from "../generated/api";
import { appName, outcomeColor, formatOutcome, formatTime } from "../library/format";
import { go, href } from "../router";
import "../library/library.css";

const FACETS = ["task", "app", "outcome", "agent"] as const;
const SORTS = ["newest", "oldest", "longest", "shortest", "task"] as const;

export default function Episodes({ query }: PageProps): JSX.Element {
  useTitle(t("episodes.title"));
  const filter = Object.fromEntries(query);
  const data = useData(() => get("api/episodes", filter), [query.toString()]);
  const narrow = (name: string, value: string): void => {
    const next: Record<string, string> = { ...filter, [name]: value };
    if (name !== "page") delete next["page"];
    go(["episodes"], Object.fromEntries(Object.entries(next).filter(([, one]) => one !== "")), { replace: name === "q" });
  };
  return (
    <div class="page library">
      <h1>{t("episodes.title")}</h1>
      <Data data={data}>
        {(page) => (
          <>
            <Filter page={page} filter={filter} narrow={narrow} />
            {page.unreadable.map((message) => <p key={message} class="banner bad">{message}</p>)}
            <p class="quiet" role="status">{t("episodes.found", { found: page.found, total: page.total })}</p>
            {page.found === 0 && <p class="panel">{page.total === 0 ? t("episodes.none", { store: page.store }) : t("episodes.unfit")}</p>}
            <ul class="wall">{page.episodes.map((one) => <Card key={one.id} one={one} run={filter["run"]} />)}</ul>
            {page.pages > 1 && <Pager page={page} narrow={narrow} />}
            <Command line={listCommand(page.store, filter)} />
          </>
        )}
      </Data>
    </div>
  );
}

function Filter({ page, filter, narrow }: {
  readonly page: EpisodePage;
  readonly filter: Readonly<Record<string, string>>;
  readonly narrow: (name: string, value: string) => void;
}): JSX.Element {
  return (
    <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="field wide">
        <span>{t("filter.text")}</span>
        <input type="search" value={filter["q"] ?? ""} onInput={(event) => narrow("q", event.currentTarget.value)} />
      </label>
      {FACETS.map((facet) => (
        <label class="field" key={facet}>
          <span>{t(`filter.${facet}`)}</span>
          <select value={filter[facet] ?? ""} onChange={(event) => narrow(facet, event.currentTarget.value)}>
            <option value="">{t("filter.any")}</option>
            {Object.entries(page.facets[facet]).map(([name, count]) => (
              <option key={name} value={name}>{`${facet === "outcome" ? formatOutcome(name) : facet === "app" ? appName(name) : name || "–"} (${count})`}</option>
            ))}
          </select>
        </label>
      ))}
      <label class="field">
        <span>{t("filter.sort")}</span>
        <select value={filter["sort"] ?? "newest"} onChange={(event) => narrow("sort", event.currentTarget.value)}>
          {SORTS.map((sort) => <option key={sort} value={sort}>{t(`sort.${sort}`)}</option>)}
        </select>
      </label>
    </form>
  );
}

function Card({ one, run }: { readonly one: EntryView; readonly run: string | undefined }): JSX.Element {
  const episodeRef = { id: one.id, run };
  return (
    <li class="panel card">
      <span class="pair">
        {[one.first, one.last].map((sha, index) => (
          sha === null
            ? <span key={index} class="empty" />
            : <img key={index} src={thumbnailUrl(episodeRef, sha)} alt="" loading="lazy" decoding="async" />
        ))}
      </span>
      <span class="words">
        <a class="stretched" href={href(["episodes", one.id], { run })}>{one.instruction || one.task || one.id}</a>
        <span class="quiet mono">{one.id}</span>
        <span class="tags">
          <span class={`tag ${outcomeColor(one.outcome)}`}>{formatOutcome(one.outcome)}</span>
          <span class="tag">{t("episodes.steps", { count: one.steps })}</span>
          {one.version > 1 && <span class="tag">{t("episodes.version", { version: one.version })}</span>}
        </span>
        <span class="quiet">{one.agent}{one.created && ` · ${formatTime(one.created)}`}</span>
      </span>
    </li>
  );
}

function Pager({ page, narrow }: { readonly page: EpisodePage; readonly narrow: (name: string, value: string) => void }): JSX.Element {
  const open = (number: number): void => narrow("page", number === 0 ? "" : String(number));
  return (
    <nav class="pager" aria-label={t("pager.label")}>
      <button type="button" class="button" disabled={page.page === 0} onClick={() => open(page.page - 1)}>{t("pager.before")}</button>
      <span>{t("pager.place", { page: page.page + 1, pages: page.pages })}</span>
      <button type="button" class="button" disabled={page.page + 1 >= page.pages} onClick={() => open(page.page + 1)}>{t("pager.next")}</button>
    </nav>
  );
}

/** `tapwright episodes ls` with the same filter. */
function listCommand(store: string, filter: Readonly<Record<string, string>>): string {
  const words = ["tapwright", "episodes", "ls", store];
  for (const [name, option] of [["q", "--text"], ["task", "--task"], ["app", "--app"], ["outcome", "--outcome"], ["agent", "--agent"]] as const) {
    const value = filter[name];
    if (value) words.push(option, value);
  }
  return shellCommand(...words);
}
