// The jobs that go on, each with how far it is and the way to stop it.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { t } from "../i18n";
import { openJobs, stopJob } from "./jobs";

export function JobBar(): JSX.Element {
  return (
    <>
      {openJobs.value.map(({ id, kind, done, total }) => (
        <div key={id} class="banner job" role="group" aria-label={t(`bulk.job.${kind}`)}>
          <span>{t(`bulk.job.${kind}`)}</span>
          <progress value={done} max={Math.max(total, 1)} aria-label={t(`bulk.job.${kind}`)} />
          <span>{t("bulk.job.place", { done, total })}</span>
          <Button label={t("bulk.job.stop")} onPress={() => stopJob(id)} />
        </div>
      ))}
    </>
  );
}
