// The devices: who has each since when, whether it answers; takes one back from who has it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData, useRefresh } from "../components/data";
import { Dialog } from "../components/dialog";
import { notify, notifyError } from "../components/notices";
import { t } from "../i18n";
import type { DeviceUse } from "../generated/api";
import { formatAge } from "./age";

/** How often the devices are read again while they are looked at, in milliseconds. */
const REFRESH_MS = 5000;

export function Devices(): JSX.Element {
  const data = useData(() => get("api/devices/uses"), []);
  useRefresh(data, REFRESH_MS);
  const [asked, setAsked] = useState<DeviceUse | null>(null);
  const release = ({ name, session }: DeviceUse): void => {
    setAsked(null);
    post("api/devices/release", { device: name, session }).then(
      () => {
        notify("success", t("team.released", { device: name }));
        data.reload();
      },
      (error: unknown) => {
        notifyError(error);
        data.reload();
      },
    );
  };
  return (
    <section class="panel progress" aria-label={t("team.devices")}>
      <h2>{t("team.devices")}</h2>
      <Data data={data}>
        {(devices) => devices.length === 0 ? <p class="quiet">{t("home.devices.none")}</p> : (
          <div class="scroll" tabIndex={0} role="group" aria-label={t("team.devices")}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("home.device")}</th>
                  <th scope="col">{t("team.device.state")}</th>
                  <th scope="col">{t("team.device.work")}</th>
                  <th scope="col"><span class="visually-hidden">{t("team.actions")}</span></th>
                </tr>
              </thead>
              <tbody>{devices.map((one) => <DeviceRow key={one.name} use={one} onRelease={() => setAsked(one)} />)}</tbody>
            </table>
          </div>
        )}
      </Data>
      {asked && (
        <Dialog
          title={t("team.release.title", { device: asked.name, name: asked.user })}
          onClose={() => setAsked(null)}
          actions={<Button label={t("team.release")} kind="danger" onPress={() => release(asked)} />}
        >
          <p>{t(asked.steps > 0 ? "team.release.words" : "team.release.empty", { name: asked.user, n: asked.steps })}</p>
        </Dialog>
      )}
    </section>
  );
}

function DeviceRow({ use, onRelease }: { readonly use: DeviceUse; readonly onRelease: () => void }): JSX.Element {
  const kind = { free: "good", leased: "", opening: "", unhealthy: "bad" }[use.state];
  return (
    <tr>
      <th scope="row">{use.name}</th>
      <td>
        <span class={`tag ${kind}`}>{t(`device.${use.state}`, { by: use.user, why: use.error })}</span>{" "}
        <span class="quiet">{t("team.device.since", { time: formatAge(use.since_s) })}</span>
        {use.answers !== null && <> <span class={`tag ${use.answers ? "good" : "bad"}`}>{t(use.answers ? "team.device.answers" : "team.device.silent")}</span></>}
        {use.retry_s !== null && <div class="quiet">{t("team.device.retry", { time: formatAge(use.retry_s) })}</div>}
      </td>
      <td>
        {use.session && (
          <>
            {use.instruction || t("record.goal.none")}{" "}
            <span class="quiet">{t("team.steps", { count: use.steps })}{use.tabs === 0 && `, ${t("team.device.unseen")}`}</span>
          </>
        )}
        {use.waiting.length > 0 && <div class="quiet">{t("team.device.waiting", { names: use.waiting.join(", ") })}</div>}
      </td>
      <td class="row-actions">{use.session && <Button label={t("team.release")} title={t("team.release.of", { device: use.name })} onPress={onRelease} />}</td>
    </tr>
  );
}
