// The queue: the progress of each item; withdraws tasks, and asks for a recording again.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData, useRefresh } from "../components/data";
import { Dialog } from "../components/dialog";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import { href } from "../router";
import type { ItemProgress } from "../generated/api";
import { Assign } from "./assign";

/** How often the queue is read again while it is looked at, in milliseconds. */
const REFRESH_MS = 10_000;

export function QueueTable(): JSX.Element {
  const data = useData(async () => ({ items: (await get("api/team/progress")).items.filter(isAsked) }), []);
  useRefresh(data, REFRESH_MS);
  const [again, setAgain] = useState<Recording | null>(null);
  const actions: RowActions = {
    withdraw: (one) => void withdraw(one, data.reload).then(data.reload, notifyError),
    askAgain: setAgain,
  };
  return (
    <section class="panel" aria-label={t("team.queue")}>
      <h2>{t("team.queue")}</h2>
      <Assign onAssigned={data.reload} />
      <Data data={data}>
        {({ items }) => items.length === 0 ? <p class="quiet">{t("team.queue.empty")}</p> : (
          <>
            <Total items={items} />
            <div class="scroll" tabIndex={0} role="group" aria-label={t("team.queue")}>
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
                <tbody>{items.map((one) => <Row key={one.item} one={one} actions={actions} />)}</tbody>
              </table>
            </div>
          </>
        )}
      </Data>
      {again && (
        <Dialog
          title={t("team.again.title", { name: again.name, task: again.task })}
          onClose={() => setAgain(null)}
          actions={
            <Button
              label={t("team.again")}
              kind="primary"
              onPress={() => {
                post("api/team/reopen", { item: again.item, name: again.name }).then(data.reload, notifyError);
                setAgain(null);
              }}
            />
          }
        >
          <p>{t("team.again.words")}</p>
        </Dialog>
      )}
    </section>
  );
}

/** Whether an item is asked for, or was recorded or begun: what was withdrawn before that is listed no more. */
function isAsked(one: ItemProgress): boolean {
  return one.copies > 0 || one.done.length > 0 || one.held.length > 0;
}

/** Takes the rest of an item out of the queue; it is asked for again from the notice. */
async function withdraw({ item, suite, task, waiting, only }: ItemProgress, reload: () => void): Promise<void> {
  await post("api/team/withdraw", { item });
  const again = { suite, tasks: [task], copies: only ? 1 : waiting, only };
  notify("success", t("team.withdrawn", { task }), "", "", {
    label: t("team.withdrawn.undo"),
    onlyHere: true,
    run: () => void post("api/team/assign", again).then(reload, notifyError),
  });
}

/** A member's recording of an item. */
interface Recording {
  readonly item: number;
  readonly task: string;
  readonly name: string;
}

interface RowActions {
  readonly withdraw: (one: ItemProgress) => void;
  readonly askAgain: (recording: Recording) => void;
}

function Total({ items }: { readonly items: readonly ItemProgress[] }): JSX.Element {
  const wanted = items.reduce((sum, one) => sum + Math.max(one.copies, one.done.length), 0);
  const done = items.reduce((sum, one) => sum + one.done.length, 0);
  return (
    <p class="total">
      <progress aria-label={t("team.progress")} max={wanted} value={done} /> {t("team.progress.of", { done, wanted })}
    </p>
  );
}

function Row({ one, actions }: { readonly one: ItemProgress; readonly actions: RowActions }): JSX.Element {
  return (
    <tr>
      <td data-name={t("team.item")}>{one.item}</td>
      <th scope="row">{one.task} <span class="quiet">{one.suite}</span></th>
      <td data-name={t("team.copies")}>{one.copies}</td>
      <td data-name={t("team.only")}>{one.only ?? ""}</td>
      <td data-name={t("team.done")}>
        {one.done.map(([name, episode]) => (
          <div key={name} class="row">
            <a href={href(["episodes", episode])}>{name}</a>
            {one.copies > 0 && (
              <Button
                label={t("team.again")}
                title={t("team.again.of", { name, task: one.task })}
                kind="quiet"
                onPress={() => actions.askAgain({ item: one.item, task: one.task, name })}
              />
            )}
          </div>
        ))}
      </td>
      <td data-name={t("team.held")}>
        {one.held.join(", ")}{one.lapsed.length > 0 && <span class="quiet"> {t("team.lapsedOf", { names: one.lapsed.join(", ") })}</span>}
      </td>
      <td data-name={t("team.waiting")}>{one.waiting}</td>
      <td class="row-actions">{one.waiting > 0 && <Button label={t("team.withdraw")} onPress={() => actions.withdraw(one)} />}</td>
    </tr>
  );
}

