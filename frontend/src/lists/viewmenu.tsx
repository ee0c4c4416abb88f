// The menu of saved views: open one, delete one, save what is shown under a name, share it with the team.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { notifyError } from "../components/notices";
import { t } from "../i18n";
import { href } from "../router";
import { currentUser } from "../user";
import { deleteView, hasTeam, listViews, saveView, viewQuery, type SavedView } from "./views";

export function ViewMenu({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const user = currentUser.value;
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const data = useData(listViews, [user?.name, user?.team]);
  const save = (): void =>
    void saveView(name.trim(), query, shared).then(() => {
      setName("");
      data.reload();
    }, notifyError);
  return (
    <details class="choice-list views">
      <summary class="button">{t("views.title")}</summary>
      <div class="panel">
        <Data data={data}>
          {(views) => views.length === 0 ? <p class="hint">{t(hasTeam() ? "views.none.team" : "views.none")}</p> : (
            <ul>
              {views.map((view) => <View key={`${view.owner} ${view.name}`} view={view} shown={viewQuery(query)} onDelete={() => void deleteView(view.name).then(data.reload, notifyError)} />)}
            </ul>
          )}
        </Data>
        <label class="field">
          <span>{t("views.name")}</span>
          <input type="text" maxLength={80} autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        {hasTeam() && (
          <label class="choice">
            <input type="checkbox" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} /> {t("views.share")}
          </label>
        )}
        <Button label={t("views.save")} disabled={name.trim() === ""} onPress={save} />
      </div>
    </details>
  );
}

function View({ view, shown, onDelete }: { readonly view: SavedView; readonly shown: string; readonly onDelete: () => void }): JSX.Element {
  const { name, query, owner, shared } = view;
  const mine = owner === "" || owner === currentUser.value?.name;
  return (
    <li class="row">
      <span>
        <a href={href(["episodes"], Object.fromEntries(new URLSearchParams(query)))} aria-current={query === shown ? "true" : undefined}>{name}</a>
        {shared && <> <span class="tag">{mine ? t("views.shared") : t("views.of", { owner })}</span></>}
      </span>
      {mine && <Button label={t("views.delete", { name })} kind="quiet" bare icon="×" onPress={onDelete} />}
    </li>
  );
}
