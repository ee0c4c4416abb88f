// The menu of the last changes of many, whoever made them: each can be undone, also after a reload.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import type { ChangeView, JobView } from "../generated/api";
import { t } from "../i18n";
import { formatTime } from "../library/format";
import { downloadFile, endedChanges, undoChange } from "./jobs";

export function ChangeMenu(): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details class="choice-list changes" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="button">{t("changes.title")}</summary>
      <div class="panel">{open && <Latest />}</div>
    </details>
  );
}

function Latest(): JSX.Element {
  const data = useData(() => get("api/changes"), [endedChanges.value]);
  return (
    <Data data={data}>
      {({ changes, jobs }) => (
        <>
          {changes.length + jobs.length === 0 && <p class="hint">{t("changes.none")}</p>}
          <ul>
            {jobs.filter(({ file }) => file !== "").map((job) => <File key={job.id} job={job} />)}
            {changes.map((change) => <Change key={change.id} change={change} />)}
          </ul>
        </>
      )}
    </Data>
  );
}

function File({ job: { id, file } }: { readonly job: JobView }): JSX.Element {
  return (
    <li>
      <span>{file}</span>
      <Button label={t("bulk.files.get")} onPress={() => downloadFile(id)} />
    </li>
  );
}

function Change({ change: { id, kind, words, who, time, total, changed, undone_by } }: { readonly change: ChangeView }): JSX.Element {
  const what = t(`changes.${kind}`, { count: changed ?? total });
  return (
    <li>
      <span>
        {what} {changed === null && <span class="tag warn">{t("changes.begun")}</span>}
        <small class="quiet">{[words, who, formatTime(time)].filter((one) => one !== "").join(" · ")}</small>
      </span>
      {undone_by === ""
        ? <Button label={t("bulk.undo")} title={t("changes.undo", { what })} disabled={changed === 0} onPress={() => undoChange(id)} />
        : <span class="quiet">{t("changes.undone", { who: undone_by })}</span>}
    </li>
  );
}
