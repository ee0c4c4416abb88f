// The queue: the progress of each item; adds and withdraws tasks.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import { href } from "../router";
import type { ItemProgressView, Member } from "../generated/api";

export function QueueTable(): JSX.Element {
  const data = useData(() => get("api/team/progress"), []);
  const withdraw = (item: number): void => void post("api/team/withdraw", { item }).then(data.reload, notifyError);
  return (
    <section class="panel" aria-label={t("team.queue")}>
      <h2>{t("team.queue")}</h2>
      <Assign onAssigned={data.reload} />
      <Data data={data}>
        {({ items }) => items.length === 0 ? <p class="quiet">{t("team.queue.empty")}</p> : (
          <>
            <Total items={items} />
            <div class="scroll" tabIndex={0} role="region" aria-label={t("team.queue")}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t("team.item")}</th>
                    <th scope="col">{t("team.task")}</th>
                    <th scope="col">{t("team.copies")}</th>
                    <th scope="col">{t("team.only")}</th>
                    <th scope="col">{t("team.done")}</th>
                    <th scope="col">{t("team.held")}</th>
                    <th scope="col">{t("team.waiting")}</th>
                    <th scope="col"><span class="visually-hidden">{t("team.actions")}</span></th>
                  </tr>
                </thead>
                <tbody>{items.map((one) => <Row key={one.item} one={one} withdraw={withdraw} />)}</tbody>
              </table>
            </div>
          </>
        )}
      </Data>
    </section>
  );
}

function Total({ items }: { readonly items: readonly ItemProgressView[] }): JSX.Element {
  const wanted = items.reduce((sum, one) => sum + Math.max(one.copies, one.done.length), 0);
  const done = items.reduce((sum, one) => sum + one.done.length, 0);
  return (
    <p class="total">
      <progress aria-label={t("team.progress")} max={wanted} value={done} /> {t("team.progress.of", { done, wanted })}
    </p>
  );
}

function Row({ one, withdraw }: { readonly one: ItemProgressView; readonly withdraw: (item: number) => void }): JSX.Element {
  return (
    <tr>
      <td>{one.item}</td>
      <th scope="row">{one.task} <span class="quiet">{one.suite}</span></th>
      <td>{one.copies}</td>
      <td>{one.only ?? ""}</td>
      <td>
        {one.done.map(([name, episode], index) => (
          <span key={name}>{index > 0 && ", "}<a href={href(["episodes", episode])}>{name}</a></span>
        ))}
      </td>
      <td>
        {one.held.join(", ")} {one.lapsed.length > 0 && <span class="quiet">({t("team.lapsedOf", { names: one.lapsed.join(", ") })})</span>}
      </td>
      <td>{one.waiting}</td>
      <td class="row-actions">{one.waiting > 0 && <Button label={t("team.withdraw")} onPress={() => withdraw(one.item)} />}</td>
    </tr>
  );
}

interface Choices {
  readonly suites: readonly string[];
  readonly members: readonly Member[];
}

async function choices(): Promise<Choices> {
  const [suites, members] = await Promise.all([get("api/suites"), get("api/team/accounts")]);
  return { suites, members };
}

function Assign({ onAssigned }: { readonly onAssigned: () => void }): JSX.Element {
  const data = useData(choices, []);
  return <Data data={data}>{(known) => <AssignForm {...known} onAssigned={onAssigned} />}</Data>;
}

function AssignForm({ suites, members, onAssigned }: Choices & { readonly onAssigned: () => void }): JSX.Element {
  const [suite, setSuite] = useState(suites[0] ?? "");
  const [tasks, setTasks] = useState("");
  const [copies, setCopies] = useState(1);
  const [only, setOnly] = useState("");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const ids = tasks.split(/[\s,]+/).filter((id) => id !== "");
    post("api/team/assign", { suite, tasks: ids, copies: only ? 1 : copies, only: only || null }).then(
      ({ items }) => {
        notify("success", t("team.assigned", { count: items.length }));
        setTasks("");
        onAssigned();
      },
      notifyError,
    );
  };
  return (
    <form class="line assign" onSubmit={submit}>
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
