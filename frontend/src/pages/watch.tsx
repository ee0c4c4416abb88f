// The attempts that agents play now: each with its latest screen; one may be paused, taken over and given back.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { get } from "../api";
import { Data, useData, useRefresh } from "../components/data";
import { useTitle, type PageProps } from "../components/pages";
import type { LiveView } from "../generated/api";
import { t } from "../i18n";
import { Empty } from "../library/empty";
import { go } from "../router";
import { isMine, isOver, keyOf, knownOf, release, renew, RENEW_MS } from "../watch/attempts";
import { AttemptCard } from "../watch/card";
import { TakenOver } from "../watch/takenover";
import "../library/library.css";
import "../record/record.css";
import "../watch/watch.css";

const STARTS = ["tapwright eval run l3 -m openai/NAME", "tapwright record --agent openai/NAME"];
const EVERY_MS = 1000;
/** While a person acts, what their action led to is to be seen at once. */
const ACTING_MS = 100;

export default function WatchPage({ query }: PageProps): JSX.Element {
  const run = query.get("run") ?? undefined;
  const open = query.get("open");
  const title = run === undefined ? t("watch.title") : t("watch.of", { run });
  useTitle(title);
  const shown = useRef<readonly LiveView[]>([]);
  const data = useData(() => get("api/live", { run, known: knownOf(shown.current) }), [run]);
  shown.current = data.value ?? [];
  const acting = shown.current.some((one) => one.acts && isMine(one));
  useRefresh(data, acting ? ACTING_MS : EVERY_MS);
  useEffect(() => {
    const timer = setInterval(() => renew(shown.current), RENEW_MS);
    return () => clearInterval(timer);
  }, []);
  const show = (key: string | undefined): void => go(["watch"], { run, open: key });
  const opened = shown.current.find((one) => keyOf(one) === open);
  return (
    <div class="page library wide library-pages record-pages watch-pages">
      <h1>{title}</h1>
      <Data data={data}>
        {(all) => (
          <>
            {opened?.acts && isMine(opened) && !isOver(opened) && (
              <TakenOver attempt={opened} onSent={data.reload} onClose={() => show(undefined)}
                onBack={() => void release(opened).then(() => { show(undefined); data.reload(); })} />
            )}
            <p class="quiet" role="status">{t("watch.now", { n: all.filter((one) => !isOver(one)).length })}</p>
            {all.length === 0 && (
              <Empty words={t("watch.none")} commands={STARTS} />
            )}
            <ul class="attempts" aria-label={t("watch.list")}>
              {all.filter((one) => !isOver(one) && one !== opened || one === opened && !one.acts).map((one) => <AttemptCard key={keyOf(one)} attempt={one} onOpen={() => show(keyOf(one))} onChange={data.reload} />)}
            </ul>
            {all.some(isOver) && (
              <>
                <h2>{t("watch.ended")}</h2>
                <ul class="attempts" aria-label={t("watch.ended")}>
                  {all.filter(isOver).map((one) => <AttemptCard key={keyOf(one)} attempt={one} onOpen={() => undefined} onChange={data.reload} />)}
                </ul>
              </>
            )}
          </>
        )}
      </Data>
    </div>
  );
}
