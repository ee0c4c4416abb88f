// The question before many episodes are changed: how many they are is counted anew, and said.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import { ApiError } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { Dialog } from "../components/dialog";
import { notifyError } from "../components/notices";
import type { EpisodeSelection, JobView } from "../generated/api";
import { t } from "../i18n";
import { follow } from "./jobs";

/** Above this many a change asks twice. */
export const MANY = 100;

export interface ChangeQuestion {
  readonly title: (count: number | string) => string;
  /** What the button says. */
  readonly label: string;
  /** Whether all is filled in. */
  readonly ready: boolean;
  readonly danger?: boolean;
  /** Nothing in the store changes. */
  readonly harmless?: boolean;
  readonly count: () => Promise<EpisodeSelection>;
  readonly send: (stamp: string) => Promise<JobView>;
  readonly onClose: () => void;
  /** Called when it has begun. */
  readonly onBegun: () => void;
  readonly children: ComponentChildren;
}

export function ChangeDialog({ title, label, ready, danger = false, harmless = false, count, send, onClose, onBegun, children }: ChangeQuestion): JSX.Element {
  const [sure, setSure] = useState(false);
  const [busy, setBusy] = useState(false);
  const counted = useData(count, []);
  const found = counted.value?.count ?? 0;
  const change = (): void => {
    setBusy(true);
    send(counted.value?.stamp ?? "").then(
      (job) => {
        onBegun();
        onClose();
        follow(job);
      },
      (error: unknown) => {
        notifyError(error);
        setBusy(false);
        setSure(false);
        if (error instanceof ApiError && error.status === 409) counted.reload();
      },
    );
  };
  const asksTwice = found > MANY && !harmless;
  const allowed = ready && !busy && found > 0 && (!asksTwice || sure);
  return (
    <Dialog
      title={title(counted.value ? found : "…")}
      onClose={onClose}
      actions={<Button label={busy ? t("bulk.busy") : label} kind={danger ? "danger" : "primary"} disabled={!allowed} onPress={change} />}
    >
      <Data data={counted}>
        {() => (
          <>
            {children}
            {asksTwice && (
              <label class="choice">
                <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} />
                <span>{t("bulk.sure", { count: found })}</span>
              </label>
            )}
          </>
        )}
      </Data>
    </Dialog>
  );
}
