// The questions before many episodes are changed: how many they are is counted anew, and said.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import { ApiError, get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { Dialog } from "../components/dialog";
import { notifyError } from "../components/notices";
import type { BulkResult, EpisodeSelection } from "../generated/api";
import { t } from "../i18n";
import type { EpisodeList } from "./episodelist";
import { MANY, parseTags, selectionBody, type Chosen } from "./selection";

interface Asked {
  readonly list: EpisodeList;
  readonly chosen: Chosen;
  readonly onClose: () => void;
  readonly onDone: (result: BulkResult) => void;
}

type Body = ReturnType<typeof selectionBody>;

export function TagDialog({ tags, ...asked }: Asked & { readonly tags: readonly string[] }): JSX.Element {
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const change = { add: parseTags(add), remove: parseTags(remove) };
  return (
    <ChangeDialog
      {...asked}
      title={(count) => t("bulk.tag.title", { count })}
      label={t("bulk.tag.do")}
      ready={change.add.length + change.remove.length > 0}
      send={(body) => post("api/episodes/tag", { ...body, ...change })}
    >
      <datalist id="known-tags">{tags.map((tag) => <option key={tag} value={tag} />)}</datalist>
      <label class="field">
        <span>{t("bulk.tag.add")}</span>
        <input type="text" list="known-tags" autocomplete="off" value={add} onInput={(event) => setAdd(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>{t("bulk.tag.remove")}</span>
        <input type="text" list="known-tags" autocomplete="off" value={remove} onInput={(event) => setRemove(event.currentTarget.value)} />
      </label>
      <p class="hint">{t("bulk.tag.hint")}</p>
    </ChangeDialog>
  );
}

export function RemoveDialog(asked: Asked): JSX.Element {
  return (
    <ChangeDialog {...asked} title={(count) => t("bulk.remove.title", { count })} label={t("bulk.remove.do")} ready danger send={(body) => post("api/episodes/remove", body)}>
      <p>{t("bulk.remove.hint")}</p>
    </ChangeDialog>
  );
}

function ChangeDialog({ list, chosen, title, label, ready, danger = false, send, onClose, onDone, children }: Asked & {
  readonly title: (count: number) => string;
  readonly label: string;
  readonly ready: boolean;
  readonly danger?: boolean;
  readonly send: (body: Body) => Promise<BulkResult>;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const counted = useData<EpisodeSelection>(
    () => (chosen === "all" ? get("api/episodes/selection", list.filter) : Promise.resolve({ count: chosen.size, stamp: "" })),
    [chosen],
  );
  const count = counted.value?.count ?? 0;
  const change = (): void => {
    setBusy(true);
    send(selectionBody(chosen, list.filter, counted.value?.stamp ?? "")).then(onDone, (error: unknown) => {
      notifyError(error);
      setBusy(false);
      setSure(false);
      if (error instanceof ApiError && error.status === 409) counted.reload();
    });
  };
  const allowed = ready && !busy && count > 0 && (count <= MANY || sure);
  return (
    <Dialog title={title(count)} onClose={onClose} actions={<Button label={busy ? t("bulk.busy") : label} kind={danger ? "danger" : "primary"} disabled={!allowed} onPress={change} />}>
      <Data data={counted}>
        {() => (
          <>
            {children}
            {count > MANY && (
              <label class="row">
                <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} />
                <span>{t("bulk.sure", { count })}</span>
              </label>
            )}
          </>
        )}
      </Data>
    </Dialog>
  );
}
