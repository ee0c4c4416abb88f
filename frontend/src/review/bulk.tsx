// Accepts all that the filter shows: it says how many before, and nothing is done when they are others by then.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { Button } from "../components/button";
import { Data, useData } from "../components/data";
import { Dialog } from "../components/dialog";
import { notifyError } from "../components/notices";
import type { GroupResult } from "../generated/api";
import { t } from "../i18n";
import { filterQuery, type StepFilter } from "./filter";

export function BulkAccept({ annotator, filter, onAccepted }: {
  readonly annotator: string;
  readonly filter: StepFilter;
  readonly onAccepted: (done: GroupResult) => void;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label={t("review.bulk")} disabled={filter.show === "accept" || filter.show === "edit"} onPress={() => setOpen(true)} />
      {open && <Confirm annotator={annotator} filter={filter} onClose={() => setOpen(false)} onAccepted={onAccepted} />}
    </>
  );
}

function Confirm({ annotator, filter, onClose, onAccepted }: {
  readonly annotator: string;
  readonly filter: StepFilter;
  readonly onClose: () => void;
  readonly onAccepted: (done: GroupResult) => void;
}): JSX.Element {
  const [busy, setBusy] = useState(false);
  const data = useData(() => get("api/review/bulk", { annotator, ...filterQuery(filter) }), []);
  const count = data.value?.count ?? 0;
  const accept = async (): Promise<void> => {
    if (!data.value || busy) return;
    setBusy(true);
    try {
      onAccepted(await post("api/review/bulk", { annotator, ...filter, count, selection: data.value.selection }));
      onClose();
    } catch (error) {
      notifyError(error);
      data.reload();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("review.bulk.title", { count: data.value ? count : "…" })}
      onClose={onClose}
      actions={<Button label={t("review.bulk.accept", { count })} kind="primary" disabled={count === 0 || busy} onPress={() => void accept()} />}
    >
      <Data data={data}>
        {({ invalid }) => (
          <>
            <p>{t(count === 0 ? "review.bulk.none" : "review.bulk.words")}</p>
            {invalid > 0 && <p class="quiet">{t("review.bulk.invalid", { count: invalid })}</p>}
          </>
        )}
      </Data>
    </Dialog>
  );
}
