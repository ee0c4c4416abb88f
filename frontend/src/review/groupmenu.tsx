// The menu of the reviews that were written together: each group can be taken back, also after a reload.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { t } from "../i18n";
import { formatTime } from "../library/format";

export function GroupMenu({ annotator, onUndo }: { readonly annotator: string; readonly onUndo: (group: string) => Promise<void> }): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="choice-list changes" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="button">{t("changes.title")}</summary>
      <div class="panel">{open && <Groups annotator={annotator} onUndo={onUndo} />}</div>
    </details>
  );
}

function Groups({ annotator, onUndo }: { readonly annotator: string; readonly onUndo: (group: string) => Promise<void> }): JSX.Element {
  const data = useData(() => get("api/review/groups", { annotator }), [annotator]);
  return (
    <Data data={data}>
      {({ groups }) => (
        <>
          {groups.length === 0 && <p class="hint">{t("review.groups.none")}</p>}
          <ul>
            {groups.map(({ group, who, time, count, holding }) => {
              const what = t("review.groups.one", { count });
              return (
                <li key={group}>
                  <span>{what}<small class="quiet">{[t("review.groups.holding", { count: holding }), who, formatTime(time)].filter((one) => one !== "").join(" · ")}</small></span>
                  <Button label={t("review.undo")} title={t("changes.undo", { what })} disabled={holding === 0} onPress={() => void onUndo(group).then(data.reload)} />
                </li>
              );
            })}
          </ul>
        </>
      )}
    </Data>
  );
}
