// The start page: unfinished demonstrations, the team's queue, and the form for a new demonstration.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get } from "../api";
import { Data, useData, useRefresh } from "../components/data";
import { dismissErrors, notifyError } from "../components/notices";
import { useTitle, type PageProps } from "../components/pages";
import type { DeviceView } from "../generated/api";
import { t } from "../i18n";
import { Waiting } from "../library/waiting";
import { NewDemonstration } from "../record/newdemo";
import { RecentEpisodes } from "../record/recent";
import { start, type Start } from "../record/start";
import { NextItem, OpenDemonstrations } from "../record/unfinished";
import { go } from "../router";
import { currentUser } from "../user";
import "../record/record.css";

const POLL_MS = 3000;

export default function HomePage({ query }: PageProps): JSX.Element {
  useTitle(t("nav.record"));
  const devices = useData(() => get("api/devices"), []);
  useRefresh(devices, POLL_MS);
  const sessions = useData(() => get("api/sessions"), []);
  const unfinished = sessions.value ?? [];
  const inTeam = currentUser.value?.team ?? false;
  const queue = useData(() => (inTeam ? get("api/queue/next") : Promise.resolve(null)), [inTeam]);
  const [chosen, setChosen] = useState(query.get("device") ?? "");
  const [starting, setStarting] = useState(false);
  const free = devices.value?.filter(isFree) ?? [];
  const device = free.some((one) => one.name === chosen) ? chosen : (free[0]?.name ?? "");
  const begin = (chosen: Omit<Start, "device">): void => {
    setStarting(true);
    start({ ...chosen, device })
      .then((session) => {
        dismissErrors();
        go(["record", session]);
      })
      .catch((error: unknown) => {
        notifyError(error);
        setStarting(false);
        devices.reload();
      });
  };
  const ready = device !== "" && !starting;
  return (
    <div class="page home record-pages">
      <div class="home-main">
        <OpenDemonstrations sessions={unfinished} />
        {queue.value && <NextItem item={queue.value.item} ready={ready} primary={unfinished.length === 0} onBegin={begin} />}
        <section class="panel" aria-label={t("home.title")}>
          <h1>{t("home.title")}</h1>
          <fieldset class="devices">
            <legend>{t("home.device")}</legend>
            <Data data={devices}>
              {(all) =>
                all.length === 0 ? (
                  <p class="hint">{t("home.devices.none")}</p>
                ) : (
                  all.map((one) => <Device key={one.name} device={one} checked={one.name === device} onChoose={() => setChosen(one.name)} />)
                )
              }
            </Data>
          </fieldset>
          <NewDemonstration query={query} device={device} ready={ready} primary={unfinished.length === 0 && !queue.value?.item} onBegin={begin} />
        </section>
      </div>
      <div class="home-main">
        <Waiting />
        <RecentEpisodes />
      </div>
    </div>
  );
}

/** A device that the user holds is free too: its demonstration can be resumed later. */
function isFree(device: DeviceView): boolean {
  return device.state === "free" || (device.state === "leased" && device.user === currentUser.value?.name);
}

function Device({ device, checked, onChoose }: { readonly device: DeviceView; readonly checked: boolean; readonly onChoose: () => void }): JSX.Element {
  const free = isFree(device);
  const mine = device.state === "leased" && free;
  const kind = { free: "good", leased: "", opening: "", unhealthy: "bad" }[device.state];
  return (
    <label class={`choice device${free ? "" : " off"}`}>
      <input type="radio" name="device" checked={checked} disabled={!free} onChange={onChoose} />
      <span>{device.name}</span>
      <span class={`tag ${kind}`}>{t(mine ? "device.mine" : `device.${device.state}`, { by: device.user, why: device.error })}</span>
    </label>
  );
}
