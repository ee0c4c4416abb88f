// The menu of saved views: open one, delete one, save what is shown under a name.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { Button } from "../components/button";
import { t } from "../i18n";
import { href } from "../router";
import { deleteView, listViews, saveView, viewQuery } from "./views";

export function ViewMenu({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const [name, setName] = useState("");
  const views = listViews();
  const shown = viewQuery(query);
  const save = (): void => {
    saveView(name.trim(), query);
    setName("");
  };
  return (
    <details class="choice-list views">
      <summary class="button">{t("views.title")}</summary>
      <div class="panel">
        {views.length === 0 && <p class="hint">{t("views.none")}</p>}
        <ul>
          {views.map((view) => (
            <li key={view.name} class="row">
              <a href={href(["episodes"], Object.fromEntries(new URLSearchParams(view.query)))} aria-current={view.query === shown ? "true" : undefined}>{view.name}</a>
              <Button label={t("views.delete", { name: view.name })} kind="quiet" bare icon="×" onPress={() => deleteView(view.name)} />
            </li>
          ))}
        </ul>
        <label class="field">
          <span>{t("views.name")}</span>
          <input type="text" maxLength={80} autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <Button label={t("views.save")} disabled={name.trim() === ""} onPress={save} />
      </div>
    </details>
  );
}
