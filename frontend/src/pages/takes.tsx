// The latest takes of one task side by side.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Empty } from "../library/empty";
import { href } from "../router";
import { Takes } from "../watch/takes";
import "../library/library.css";
import "../watch/watch.css";

export default function TakesPage({ query }: PageProps): JSX.Element {
  const task = query.get("task") ?? "";
  const title = t("takes.title", { task });
  useTitle(title);
  const data = useData(() => get("api/takes", { task }), [task]);
  return (
    <div class="page library wide library-pages watch-pages">
      <h1>{title}</h1>
      <Data data={data}>
        {(found) => found.takes.length === 0 ? <Empty words={t("takes.none")}><a href={href(["episodes"])}>{t("home.recent.all")}</a></Empty> : (
          <>
            <p>{found.takes[0]?.entry.instruction}</p>
            <p class="quiet">{t("takes.found", { n: found.takes.length, of: found.found })}</p>
            <Takes of={found} />
          </>
        )}
      </Data>
    </div>
  );
}
