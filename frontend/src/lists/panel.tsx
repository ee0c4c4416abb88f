// An episode beside the list: its first screen, what it is about and what became of it.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import type { EntryView } from "../generated/api";
import { t } from "../i18n";
import { appName, formatTime } from "../library/format";
import { frameUrl } from "../library/imageurls";
import { Outcome } from "../library/outcome";
import { go } from "../router";
import { Tags } from "./table";

export function EpisodePanel({ one, run, page, onOpen, onClose }: {
  readonly one: EntryView;
  readonly run: string | undefined;
  /** The ids of the page, in order. */
  readonly page: readonly string[];
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const { id } = one;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another episode is read out anew
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest(".peek")?.scrollIntoView({ block: "nearest" });
  }, [id]);
  const at = page.indexOf(id);
  const [before, after] = [page[at - 1], page[at + 1]];
  const facts = [
    ["task", one.task], ["app", one.apps.map(appName).join(", ")], ["agent", one.agent], ["device", one.device], ["created", formatTime(one.created)],
  ] as const;
  return (
    <section class="panel peek" aria-label={t("panel.label", { id })}>
      <div class="row">
        <Button label={t("run.before")} keys="K" disabled={before === undefined} onPress={() => before !== undefined && onOpen(before)} />
        <Button label={t("run.next")} keys="J" disabled={after === undefined} onPress={() => after !== undefined && onOpen(after)} />
        <span class="gap" />
        <Button label={t("close")} keys="Escape" onPress={onClose} />
      </div>
      <h2 tabIndex={-1} ref={heading}>{one.instruction || one.task || id}</h2>
      <p class="tags">
        <Outcome of={one} />
        <span class="tag">{t("episodes.steps", { count: one.steps })}</span>
        {one.version > 1 && <span class="tag">{t("episodes.version", { version: one.version })}</span>}
      </p>
      <Button label={t("panel.open")} keys="Enter" kind="primary" onPress={() => go(["episodes", id], { run })} />
      {one.first !== null && <FirstScreen key={one.first} src={frameUrl({ id, run }, one.first)} />}
      <dl class="facts">
        <div><dt>{t("column.tag")}</dt><dd><Tags tags={one.tags} /></dd></div>
        {facts.filter(([, value]) => value !== "").map(([name, value]) => <div key={name}><dt>{t(`column.${name}`)}</dt><dd>{value}</dd></div>)}
      </dl>
    </section>
  );
}

function FirstScreen({ src }: { readonly src: string }): JSX.Element {
  const [broken, setBroken] = useState(false);
  return broken ? <p class="quiet" role="status">{t("picture.missing")}</p> : <img src={src} alt={t("panel.screen")} onError={() => setBroken(true)} />;
}
