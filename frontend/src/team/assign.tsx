// Adds tasks to the queue: those that are named, or a whole suite once its number was confirmed.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { Dialog } from "../components/dialog";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import { suiteFor } from "../library/suitefor";
import type { Member } from "../generated/api";

interface Choices {
  readonly suites: readonly string[];
  /** The one whose tasks the first device can do. */
  readonly first: string;
  readonly members: readonly Member[];
}

async function choices(): Promise<Choices> {
  const [suites, members, devices] = await Promise.all([get("api/suites"), get("api/team/accounts"), get("api/devices")]);
  return { suites, members, first: suiteFor(devices[0]?.name ?? "", suites) };
}

export function Assign({ onAssigned }: { readonly onAssigned: () => void }): JSX.Element {
  const data = useData(choices, []);
  return <Data data={data}>{(known) => <AssignForm {...known} onAssigned={onAssigned} />}</Data>;
}

function AssignForm({ suites, members, first, onAssigned }: Choices & { readonly onAssigned: () => void }): JSX.Element {
  const [suite, setSuite] = useState(first);
  const [tasks, setTasks] = useState("");
  const [copies, setCopies] = useState(1);
  const [only, setOnly] = useState("");
  const [whole, setWhole] = useState<number | null>(null);
  const assign = (): void => {
    const ids = idsIn(tasks);
    setWhole(null);
    post("api/team/assign", { suite, tasks: ids, copies: only ? 1 : copies, only: only || null }).then(
      ({ items, known }) => {
        if (items.length > 0) notify("success", t("team.assigned", { count: items.length }));
        if (known > 0) notify("info", t("team.assigned.known", { count: known }));
        setTasks("");
        onAssigned();
      },
      notifyError,
    );
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (idsIn(tasks).length > 0) assign();
    else get("api/team/suite", { suite }).then(({ tasks: count }) => setWhole(count), notifyError);
  };
  return (
    <form class="line assign" onSubmit={submit}>
      {whole !== null && (
        <Dialog
          title={t("team.whole.title", { count: whole, suite })}
          onClose={() => setWhole(null)}
          actions={<Button label={t("team.whole.add", { count: whole })} kind="primary" onPress={assign} />}
        >
          <p>{t("team.whole.words", { recordings: whole * (only ? 1 : copies) })}</p>
        </Dialog>
      )}
      <label class="field">
        <span>{t("team.suite")}</span>
        <select value={suite} onChange={(event) => setSuite(event.currentTarget.value)}>
          {suites.map((one) => <option key={one} value={one}>{one}</option>)}
        </select>
      </label>
      <label class="field wide">
        <span>{t("team.tasks")}</span>
        <input value={tasks} onInput={(event) => setTasks(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>{t("team.copies")}</span>
        <input type="number" min={1} max={100} value={copies} disabled={only !== ""} onInput={(event) => setCopies(event.currentTarget.valueAsNumber || 1)} />
      </label>
      <label class="field">
        <span>{t("team.only")}</span>
        <select value={only} onChange={(event) => setOnly(event.currentTarget.value)}>
          <option value="">{t("team.anybody")}</option>
          {members.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
        </select>
      </label>
      <button type="submit" class="button primary">{t("team.assign")}</button>
    </form>
  );
}

/** The ids in a field, apart by commas or blanks. */
function idsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((id) => id !== "");
}
