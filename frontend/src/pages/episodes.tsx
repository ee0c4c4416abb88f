// The episodes of a store as a table or as cards; filter, order, page, view and columns are in the address.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { get } from "../api";
import { JobBar } from "../changes/jobbar";
import { useEndedChanges, useOpenJobs } from "../changes/jobs";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Command } from "../library/command";
import { Empty } from "../library/empty";
import { shellCommand } from "../library/shellcommand";
import { BulkBar } from "../lists/bulk";
import { EpisodeCards } from "../lists/cards";
import { CLEARED, listCommand, NEWEST, pageQuery, parseList, type EpisodeList } from "../lists/episodelist";
import { ListForm } from "../lists/listform";
import { useOpened } from "../tables/opened";
import { EpisodePanel } from "../lists/panel";
import { Reading, useUntilRead } from "../tables/reading";
import { NOTHING } from "../lists/selection";
import { EpisodeTable } from "../lists/table";
import { go, type Query } from "../router";
import { Pager } from "../runs/pager";
import type { EntryView, EpisodePage } from "../generated/api";
import { hasRole } from "../user";
import "../changes/changes.css";
import "../library/library.css";
import "../lists/lists.css";

export default function Episodes({ query }: PageProps): JSX.Element {
  useTitle(t("episodes.title"));
  const list = parseList(query);
  const asked = pageQuery(list);
  const data = useData(() => get("api/episodes", asked), [JSON.stringify(asked)]);
  const facets = useData(() => get("api/episodes/facets", list.filter), [JSON.stringify(list.filter)]);
  useUntilRead(data);
  const [chosen, setChosen] = useState(NOTHING);
  const shown = JSON.stringify(asked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page, filter or order has other rows
  useEffect(() => setChosen(NOTHING), [shown]);
  const mayChange = hasRole("reviewer") && list.filter.run === undefined;
  useOpenJobs(mayChange);
  useEndedChanges(() => {
    data.reload();
    facets.reload();
  });
  const place = (values: Query): void => go(["episodes"], { ...Object.fromEntries(query), ...values });
  const narrow = (values: Query): void => place({ page: undefined, open: undefined, ...values });
  const { open, close } = useOpened("open", "data-episode", list.open, place);
  const onPage = (page: number): void => place({ page: page || undefined, open: undefined });
  return (
    <div class="page library lists library-pages lists-pages changes-pages">
      <h1>{t("episodes.title")}</h1>
      {mayChange && <JobBar />}
      <Data data={data}>
        {(page) => (
          <>
            <ListForm list={list} query={query} facets={facets.value} chosen={chosen} mayChange={mayChange} narrow={narrow} show={place} />
            {page.unreadable.map((message) => <p key={message} class="banner bad">{message}</p>)}
            <Reading page={page} />
            <div class="row">
              <span class="quiet" role="status">{t("episodes.found", { found: page.found, total: page.total })}</span>
              <Pager page={page.page} pages={page.pages} onPage={onPage} />
            </div>
            {page.found === 0 && (isEmpty(page)
              ? <Empty words={t("episodes.none", { store: page.store })} commands={waysIn(page.store)} />
              : <Empty words={t("episodes.unfit")} onClear={() => narrow(CLEARED)} />)}
            <BulkBar list={list} chosen={chosen} found={page.found} tags={Object.keys(facets.value?.tag ?? {})} onChoose={setChosen} />
            <div class="list-room">
              <div class="found">
                {page.found > 0 && (list.view === "cards"
              ? <EpisodeCards episodes={page.episodes} run={list.filter.run} />
              : <EpisodeTable list={list} episodes={page.episodes} chosen={mayChange ? chosen : undefined} onChoose={setChosen} onOpen={open} onSort={(sort) => narrow({ sort: sort === NEWEST ? undefined : sort })} />)}
              </div>
              <Opened list={list} episodes={page.episodes} onOpen={open} onClose={close} />
            </div>
            <Pager page={page.page} pages={page.pages} onPage={onPage} />
            {!isEmpty(page) && <Command line={listCommand(page.store, list)} />}
          </>
        )}
      </Data>
    </div>
  );
}

function isEmpty(page: EpisodePage): boolean {
  return page.total === 0 && page.unread === 0;
}

function waysIn(store: string): readonly string[] {
  return [shellCommand("tapwright", "record", "-o", store), shellCommand("tapwright", "episodes", "import", "RECORDINGS", "-o", store)];
}

function Opened({ list, episodes, onOpen, onClose }: {
  readonly list: EpisodeList;
  readonly episodes: readonly EntryView[];
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}): JSX.Element | null {
  const one = episodes.find(({ id }) => id === list.open);
  return one === undefined ? null : <EpisodePanel one={one} run={list.filter.run} page={episodes.map(({ id }) => id)} onOpen={onOpen} onClose={onClose} />;
}
