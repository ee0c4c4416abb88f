// Edits of an episode: a form makes one in the grammar of the command line, the server previews what
// it changes and its command, and only then it is applied.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { ApiError, get, post } from "../api";
import { Button } from "../components/button";
import { Failure } from "../components/data";
import { Dialog } from "../components/dialog";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import { Command } from "../library/command";
import { go } from "../router";
import { EditFields } from "./fields";
import { initialModifiers, OF_EPISODE, OF_STEP, type Editing, type Kind } from "./kinds";
import { Difference, usePreview } from "./preview";

const KEYS: Partial<Record<Kind, string>> = { action: "M", insert: "I", delete: "Delete" };

export function EditPanel({ episode, step, onEdited }: Editing & { readonly onEdited: () => void }): JSX.Element {
  const [kind, setKind] = useState<Kind | null>(null);
  const button = (one: Kind): JSX.Element => (
    <Button key={one} label={t(`edit.${one}`)} keys={KEYS[one]} kind={one === "remove" ? "danger" : "plain"} onPress={() => setKind(one)} />
  );
  return (
    <section class="panel" aria-label={t("edit.title")}>
      <h2>{t("edit.title")}</h2>
      <p class="quiet">{t("edit.step", { step: step.index + 1 })}</p>
      <div class="row">{OF_STEP.map(button)}</div>
      <p class="quiet">{t("edit.episode")}</p>
      <div class="row">{OF_EPISODE.map(button)}</div>
      {kind && <EditDialog key={kind} kind={kind} episode={episode} step={step} onClose={() => setKind(null)} onEdited={onEdited} />}
    </section>
  );
}

function EditDialog({ kind, episode, step, onClose, onEdited }: Editing & {
  readonly kind: Kind;
  readonly onClose: () => void;
  readonly onEdited: () => void;
}): JSX.Element {
  const [text, setText] = useState(() => initialModifiers(kind, episode, step));
  const [version, setVersion] = useState(episode.version);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const preview = usePreview(episode.id, version, text);
  const apply = async (): Promise<void> => {
    if (text === null) return;
    setBusy(true);
    try {
      const { episodes: kept } = await post("api/edit", { id: episode.id, version, modifiers: text });
      const gone = kept.find((one) => one.what === "removed" && one.id === episode.id);
      const summary = kept.map((one) => t(`edit.kept.${one.what}`, { id: one.id, version: one.version })).join(" · ");
      notify("success", summary || t("edit.nothing"), "", "", gone && {
        label: t("history.undo"),
        onlyHere: true,
        run: () => void post("api/undo", { id: episode.id, version: gone.version }).then(() => go(["episodes", episode.id]), notifyError),
      });
      onClose();
      if (gone) go(["episodes"], {}, "instead");
      else onEdited();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  const renew = async (): Promise<void> => {
    try {
      const latest = await get("api/episode", { id: episode.id });
      setVersion(latest.version);
      setError(undefined);
      onEdited();
    } catch (reason) {
      setError(reason);
    }
  };
  const failed = error ?? preview.error;
  const conflict = failed instanceof ApiError && failed.status === 409;
  return (
    <Dialog
      title={t(`edit.${kind}`)}
      onClose={onClose}
      actions={<Button label={t("edit.apply")} kind={kind === "remove" ? "danger" : "primary"} disabled={busy || !preview.value || conflict} onPress={() => void apply()} />}
    >
      <p class="quiet">{t(`edit.${kind}.means`)}</p>
      <EditFields kind={kind} episode={episode} step={step} onText={(next) => { setText(next); setError(undefined); }} />
      <div class={kind === "action" || kind === "insert" ? "edit-preview" : ""}>
        {failed !== undefined && <Failure error={failed} />}
        {conflict && <Button label={t("edit.renew")} onPress={() => void renew()} />}
        {preview.value && (
          <>
            <Difference preview={preview.value} />
            <Command line={preview.value.command} />
          </>
        )}
      </div>
    </Dialog>
  );
}
