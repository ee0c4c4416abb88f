// The review of annotations: the annotators of a store, and the queue of the one that is chosen.

import type { JSX } from "preact";

import { get } from "../api";
import { Data, useData } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import { t } from "../i18n";
import { Empty } from "../library/empty";
import { shellCommand } from "../library/shellcommand";
import { ReviewHead } from "../review/head";
import { ReviewQueue } from "../review/queue";
import "../changes/changes.css";
import "../library/library.css";
import "../review/review.css";
import "../viewer/viewer.css";

export default function ReviewPage({ query }: PageProps): JSX.Element {
  useTitle(t("review.title"));
  const data = useData(() => get("api/review/annotators"), []);
  return (
    <div class="page library wide library-pages review-pages viewer-pages changes-pages">
      <ReviewHead open="steps" />
      <Data data={data}>
        {({ annotators, unreadable, store }) => {
          const annotator = query.get("annotator") ?? annotators[0]?.name;
          if (annotator === undefined) {
            return (
              <Empty words={t("review.empty")} commands={[shellCommand("tapwright", "annotate", "run", store, "--with", "rules")]} />
            );
          }
          return (
            <>
              {unreadable.map((error) => <p key={error} class="banner bad">{error}</p>)}
              <ReviewQueue key={annotator} annotator={annotator} annotators={annotators} store={store} query={query} />
            </>
          );
        }}
      </Data>
    </div>
  );
}
