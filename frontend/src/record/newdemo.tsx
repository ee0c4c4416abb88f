// The form that begins a demonstration: a task of a suite, or an instruction.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { t } from "../i18n";
import type { Start } from "./start";
import { TaskPicker } from "./taskpicker";

/** Chooses a task of a suite, or an instruction. */
export function NewDemonstration({
  query,
  device,
  ready,
  primary,
  onBegin,
}: {
  readonly query: URLSearchParams;
  readonly device: string;
  readonly ready: boolean;
  /** Nothing else on the page is to be done first. */
  readonly primary: boolean;
  readonly onBegin: (start: Omit<Start, "device">) => void;
}): JSX.Element {
  const [typed, setTyped] = useState(false);
  const [instruction, setInstruction] = useState("");
  const [picked, setPicked] = useState<{ suite: string; task: string } | null>(
    query.get("suite") && query.get("task") ? { suite: query.get("suite") ?? "", task: query.get("task") ?? "" } : null,
  );
  const chosen: Omit<Start, "device"> | null = typed ? (instruction.trim() ? { instruction: instruction.trim() } : null) : picked;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen && ready) onBegin(chosen);
      }}
    >
      <fieldset class="row wrap">
        <legend>{t("home.what")}</legend>
        <label class="choice">
          <input type="radio" name="what" checked={!typed} onChange={() => setTyped(false)} /> {t("home.what.task")}
        </label>
        <label class="choice">
          <input type="radio" name="what" checked={typed} onChange={() => setTyped(true)} /> {t("home.what.typed")}
        </label>
      </fieldset>
      {typed ? (
        <label class="field">
          <span>{t("home.instruction")}</span>
          <textarea
            rows={2}
            value={instruction}
            placeholder={t("home.instruction.example")}
            onInput={(event) => setInstruction(event.currentTarget.value)}
          />
        </label>
      ) : (
        <TaskPicker suite={query.get("suite")} device={device} picked={picked} ready={ready} primary={primary} onPick={setPicked} onBegin={onBegin} />
      )}
      <div class="row end">
        <button type="submit" class={`button${primary && chosen ? " primary" : ""}`} disabled={!ready || !chosen}>
          {t("home.start")}
        </button>
      </div>
    </form>
  );
}
