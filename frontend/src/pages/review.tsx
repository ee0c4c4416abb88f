// The review of annotations: the annotators of a store, and the queue of the one that is chosen.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Command } from "../library/command";
import { Field } from "../library/field";
import { shellCommand } from "../library/shellcommand";
import { filterQuery, parseFilter } from "../review/filter";
import { ReviewQueue } from "../review/queue";
import { ReviewTabs } from "../review/tabs";
import { go } from "../router";
import "../changes/changes.css";
import "../library/library.css";
import "../review/review.css";
import "../viewer/viewer.css";

export default function ReviewPage({ query }: PageProps): JSX.Element {
  useTitle(t("review.title"));
  const data = useData(() => get("api/review/annotators"), []);
  return (
    <div class="page library wide library-pages review-pages viewer-pages changes-pages">
      <h1>{t("review.title")}</h1>
      <ReviewTabs open="steps" />
      <Data data={data}>
        {({ annotators, unreadable, store }) => {
          const annotator = query.get("annotator") ?? annotators[0]?.name;
          if (annotator === undefined) {
            return (
              <div class="panel">
                <p>{t("review.empty")}</p>
                <Command line={shellCommand("tapwright", "annotate", "run", store, "--with", "rules")} />
              </div>
            );
          }
          const picker = annotators.length > 1 && (
            <Field label={t("review.annotator")}>
              <select value={annotator} onChange={(event) => go(["review"], { ...filterQuery(parseFilter(query)), annotator: event.currentTarget.value })}>
                {annotators.map(({ name, progress: { open, total } }) => <option key={name} value={name}>{t("review.annotator.open", { name, open, total })}</option>)}
              </select>
            </Field>
          );
          return (
            <>
              {unreadable.map((error) => <p key={error} class="banner bad">{error}</p>)}
              <ReviewQueue key={annotator} annotator={annotator} store={store} query={query} picker={picker} />
            </>
          );
        }}
      </Data>
    </div>
  );
}
