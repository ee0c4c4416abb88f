// The user's tasks in the team's queue, and the next one.

import type { JSX } from "preact";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { notifyError } from "../components/notices";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Empty } from "../library/empty";
import { leaseItem } from "../record/start";
import { go, href } from "../router";
import { currentUser } from "../user";
import type { LeaseView } from "../generated/api";
import "../team/team.css";

interface QueueItems {
  readonly mine: readonly LeaseView[];
  readonly next: LeaseView | null;
}

async function load(): Promise<QueueItems> {
  const [mine, { item }] = await Promise.all([
    get("api/queue/mine"),
    get("api/queue/next"),
  ]);
  return { mine, next: mine.some((held) => held.item === item?.item) ? null : item };
}

export default function QueuePage(_: PageProps): JSX.Element {
  useTitle(t("queue.title"));
  const user = currentUser.value;
  return (
    <div class="page team-pages">
      <h1>{t("queue.title")}</h1>
      {user === null ? <p class="quiet" role="status">{t("loading")}</p> : user.team ? <Queue /> : (
        <Empty words={t("team.none")}><a href={href([])}>{t("missing.home")}</a></Empty>
      )}
    </div>
  );
}

function Queue(): JSX.Element {
  const data = useData(load, []);
  const release = (item: number): void => void post("api/queue/release", { item }).then(data.reload, notifyError);
  return (
    <Data data={data}>
      {({ mine, next }) => (
        <>
          {next && <Next held={next} />}
          {mine.length > 0 && (
            <section class="panel" aria-label={t("queue.mine")}>
              <h2>{t("queue.mine")}</h2>
              <ul class="claims">
                {mine.map((held) => (
                  <li key={held.item}>
                    <Words held={held} />
                    <span class={held.left_s > 0 ? "tag good" : "tag warn"}>
                      {held.left_s > 0 ? t("queue.left", { minutes: Math.ceil(held.left_s / 60) }) : t("queue.lapsed")}
                    </span>
                    <Button label={t("queue.record")} kind="primary" onPress={() => record(held)} />
                    {held.left_s > 0 && <Button label={t("queue.release")} onPress={() => release(held.item)} />}
                  </li>
                ))}
              </ul>
            </section>
          )}
          {!next && mine.length === 0 && <Empty words={t("queue.empty")}><a href={href([])}>{t("missing.home")}</a></Empty>}
        </>
      )}
    </Data>
  );
}

function Next({ held }: { readonly held: LeaseView }): JSX.Element {
  return (
    <section class="panel next" aria-label={t("queue.next")}>
      <h2>{t("queue.next")}</h2>
      <Words held={held} />
      <Button label={t("queue.record")} kind="primary" onPress={() => record(held)} />
    </section>
  );
}

function Words({ held }: { readonly held: LeaseView }): JSX.Element {
  return (
    <p class="words">
      {held.instruction || held.task} <span class="quiet">{held.suite} · {held.task}</span>
    </p>
  );
}

/** Takes the item, and goes to the page where a device is chosen: what one holds comes first there. */
function record({ item }: LeaseView): void {
  leaseItem(item).then(() => go(["record"]), notifyError);
}
