// The history of an episode: its versions, undo and redo, and the command that lists them.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { post } from "../api";
import { Button } from "../components/button";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import { Command } from "../library/command";
import { shellCommand } from "../library/shellcommand";
import type { EpisodeView, VersionView } from "../generated/api";
import { formatTime } from "../library/format";

export function HistoryPanel({ episode, onChanged, onLook }: {
  readonly episode: EpisodeView;
  readonly onChanged: () => void;
  readonly onLook: (version: number | undefined) => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const turn = async (what: "undo" | "redo"): Promise<void> => {
    setBusy(true);
    try {
      const done = await post(`api/${what}`, { id: episode.id, version: episode.current });
      notify("success", t("history.now", { version: done.version }));
      onChanged();
    } catch (error) {
      notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  const { undo, redo } = possible(episode);
  return (
    <section class="panel" aria-label={t("history.title")}>
      <h2>{t("history.title")}</h2>
      {episode.may_edit && (
        <div class="row">
          <Button label={t("history.undo")} keys="U" disabled={busy || !undo} onPress={() => void turn("undo")} />
          <Button label={t("history.redo")} keys="Shift+U" disabled={busy || !redo} onPress={() => void turn("redo")} />
        </div>
      )}
      <ol class="changes">
        {episode.history.map((change, index) => (
          <li key={index} aria-current={change.version === episode.version && isLast(episode, index) ? "true" : undefined}>
            <button type="button" class="link" onClick={() => onLook(change.version === episode.current ? undefined : change.version)}>
              {t("history.version", { version: change.version })}
            </button>{" "}
            <span>{t(`history.was.${change.change}`)}</span> {change.edit && <code>{change.edit}</code>}
            {change.time && <span class="quiet"> · {formatTime(change.time)}</span>}
          </li>
        ))}
      </ol>
      <Command line={shellCommand("tapwright", "episodes", "log", episode.store, episode.id)} />
    </section>
  );
}

/** Whether there is an edit to undo, and something undone to redo, by the rules of versions.py. */
export function possible({ history, current }: { readonly history: readonly VersionView[]; readonly current: number }): { undo: boolean; redo: boolean } {
  let left = 0;
  for (const { change } of history) left = change === "undo" ? left + 1 : change === "redo" ? left - 1 : 0;
  return { undo: current !== history[0]?.version, redo: left > 0 };
}

function isLast(episode: EpisodeView, index: number): boolean {
  return episode.history.findLastIndex((change) => change.version === episode.version) === index;
}
