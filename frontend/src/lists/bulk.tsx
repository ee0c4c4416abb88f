// What can be done with the chosen episodes: tags, edits, reviews, the trash, files to keep.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { fileUrl, get, post } from "../api";
import { ReviewDialog } from "../changes/reviewdialog";
import { Button } from "../components/button";
import { t } from "../i18n";
import { Downloads } from "../library/downloads";
import { EditDialog, ExportDialog, RemoveDialog, TagDialog, type Asked } from "./bulkdialogs";
import type { EpisodeList } from "./episodelist";
import { NOTHING, selectionBody, type Chosen, type SelectionBody } from "./selection";

const QUESTIONS = ["tag", "edit", "review", "files", "remove"] as const;
type Question = (typeof QUESTIONS)[number];

export function BulkBar({ list, chosen, found, tags, onChoose }: {
  readonly list: EpisodeList;
  readonly chosen: Chosen;
  readonly found: number;
  /** The tags that there are. */
  readonly tags: readonly string[];
  readonly onChoose: (chosen: Chosen) => void;
}): JSX.Element {
  const [asks, setAsks] = useState<Question | null>(null);
  const count = chosen === "all" ? found : chosen.size;
  const body = (stamp: string): SelectionBody => selectionBody(chosen, list.filter, stamp);
  const asked: Asked = {
    body,
    count: () => (chosen === "all" ? get("api/episodes/selection", list.filter) : Promise.resolve({ count: chosen.size, stamp: "" })),
    onClose: () => setAsks(null),
    onBegun: () => onChoose(NOTHING),
  };
  return (
    <>
      {count > 0 && (
        <div class="bulk row" role="group" aria-label={t("bulk.label")}>
          <strong role="status">{t("bulk.chosen", { count })}</strong>
          {chosen !== "all" && count < found && <Button label={t("bulk.all", { count: found })} onPress={() => onChoose("all")} />}
          {QUESTIONS.map((one) => <Button key={one} label={t(`bulk.${one}`)} kind={one === "remove" ? "danger" : "plain"} onPress={() => setAsks(one)} />)}
          <Button label={t("bulk.none")} kind="quiet" onPress={() => onChoose(NOTHING)} />
        </div>
      )}
      {asks === "tag" && <TagDialog {...asked} tags={tags} />}
      {asks === "edit" && <EditDialog {...asked} />}
      {asks === "review" && <ReviewDialog {...asked} send={(stamp, review) => post("api/episodes/review", { ...body(stamp), ...review })} />}
      {asks === "files" && <ExportDialog {...asked} onBegun={() => undefined} />}
      {asks === "remove" && <RemoveDialog {...asked} />}
    </>
  );
}

/** Links to files with the chosen episodes, or all that match. */
export function ChosenFiles({ list, chosen }: { readonly list: EpisodeList; readonly chosen: Chosen }): JSX.Element | null {
  const ids = chosen === "all" || chosen.size === 0 ? undefined : JSON.stringify([...chosen]);
  return (
    <Downloads
      label={t(ids === undefined ? "episodes.export" : "bulk.export")}
      address={(format) => fileUrl("api/episodes/export", { ...list.filter, sort: list.sort, ids, format })}
    />
  );
}
