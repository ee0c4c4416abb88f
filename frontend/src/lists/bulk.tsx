// What can be done with the chosen episodes: tags, the trash, files to keep.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { fileUrl, post } from "../api";
import { Button } from "../components/button";
import { notify, notifyError } from "../components/notices";
import type { BulkResult } from "../generated/api";
import { t } from "../i18n";
import { explainError } from "../i18n/errors";
import { RemoveDialog, TagDialog } from "./bulkdialogs";
import type { EpisodeList } from "./episodelist";
import { countLeft, type Chosen } from "./selection";

export function BulkBar({ list, chosen, found, tags, onChoose, onChanged }: {
  readonly list: EpisodeList;
  readonly chosen: Chosen;
  readonly found: number;
  /** The tags that there are. */
  readonly tags: readonly string[];
  readonly onChoose: (chosen: Chosen) => void;
  readonly onChanged: () => void;
}): JSX.Element {
  const [asks, setAsks] = useState<"tag" | "remove" | null>(null);
  const count = chosen === "all" ? found : chosen.size;
  const done = (result: BulkResult, text: string, undo: () => Promise<BulkResult>): void => {
    setAsks(null);
    onChoose(new Set());
    onChanged();
    for (const [code, left] of countLeft(result)) notify("error", t("bulk.left", { count: left }), explainError(code, {}).text);
    const back = (): void => void undo().then(({ episodes }) => {
      onChanged();
      notify("success", t("bulk.undone", { count: episodes.length }));
    }, notifyError);
    notify("success", text, "", "", result.episodes.length > 0 ? { label: t("bulk.undo"), run: back } : undefined);
  };
  const tagged = (result: BulkResult): void =>
    done(result, t("bulk.tagged", { count: result.episodes.length }), () => post("api/episodes/tag/undo", { change: result.change, ids: [...result.episodes] }));
  const removed = (result: BulkResult): void =>
    done(result, t("bulk.removed", { count: result.episodes.length }), () => post("api/episodes/restore", { change: result.change }));
  const asked = { list, chosen, onClose: () => setAsks(null) };
  return (
    <>
      {count > 0 && (
        <div class="bulk row" role="group" aria-label={t("bulk.label")}>
          <strong role="status">{t("bulk.chosen", { count })}</strong>
          {chosen !== "all" && count < found && <Button label={t("bulk.all", { count: found })} onPress={() => onChoose("all")} />}
          <Button label={t("bulk.tag")} onPress={() => setAsks("tag")} />
          <Button label={t("bulk.remove")} kind="danger" onPress={() => setAsks("remove")} />
          <Button label={t("bulk.none")} kind="quiet" onPress={() => onChoose(new Set())} />
        </div>
      )}
      {asks === "tag" && <TagDialog {...asked} tags={tags} onDone={tagged} />}
      {asks === "remove" && <RemoveDialog {...asked} onDone={removed} />}
    </>
  );
}

/** Links to files with the chosen episodes, or all that match. */
export function Downloads({ list, chosen }: { readonly list: EpisodeList; readonly chosen: Chosen }): JSX.Element | null {
  const ids = chosen === "all" || chosen.size === 0 ? undefined : JSON.stringify([...chosen]);
  const formats = (["csv", "json"] as const).flatMap((format) => {
    const address = fileUrl("api/episodes/export", { ...list.filter, sort: list.sort, ids, format });
    return address === null ? [] : [{ format, address }];
  });
  if (formats.length === 0) return null;
  return (
    <span class="row" role="group" aria-label={t(ids === undefined ? "episodes.export" : "bulk.export")}>
      {formats.map(({ format, address }) => (
        <a key={format} class="button quiet" href={address} download title={t(ids === undefined ? "episodes.export" : "bulk.export")}>↓ {t(`run.export.${format}`)}</a>
      ))}
    </span>
  );
}

