// What is asked before the chosen episodes are tagged, edited, deleted or written as files.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { get, post } from "../api";
import { ChangeDialog } from "../changes/changedialog";
import { Data, useData } from "../components/data";
import type { EpisodeSelection } from "../generated/api";
import { t } from "../i18n";
import { Field } from "../library/field";
import { formatOutcome, OUTCOMES } from "../library/format";
import { MANY_EDITS, manyModifiers, type ManyEdit } from "./manyedits";
import { parseTags, type SelectionBody } from "./selection";

export interface Asked {
  readonly count: () => Promise<EpisodeSelection>;
  /** What the API takes for the chosen episodes, which had this stamp. */
  readonly body: (stamp: string) => SelectionBody;
  readonly onClose: () => void;
  readonly onBegun: () => void;
}

export function TagDialog({ tags, body, ...asked }: Asked & { readonly tags: readonly string[] }): JSX.Element {
  const [add, setAdd] = useState("");
  const [remove, setRemove] = useState("");
  const change = { add: parseTags(add), remove: parseTags(remove) };
  return (
    <ChangeDialog
      {...asked}
      title={(count) => t("bulk.tag.title", { count })}
      label={t("bulk.tag.do")}
      ready={change.add.length + change.remove.length > 0}
      send={(stamp) => post("api/episodes/tag", { ...body(stamp), ...change })}
    >
      <datalist id="known-tags">{tags.map((tag) => <option key={tag} value={tag} />)}</datalist>
      <Field label={t("bulk.tag.add")}>
        <input type="text" list="known-tags" autocomplete="off" value={add} onInput={(event) => setAdd(event.currentTarget.value)} />
      </Field>
      <Field label={t("bulk.tag.remove")}>
        <input type="text" list="known-tags" autocomplete="off" value={remove} onInput={(event) => setRemove(event.currentTarget.value)} />
      </Field>
      <p class="hint">{t("bulk.tag.hint")}</p>
    </ChangeDialog>
  );
}

export function EditDialog({ body, ...asked }: Asked): JSX.Element {
  const [edit, setEdit] = useState<ManyEdit>("instruction");
  const [value, setValue] = useState("");
  const modifiers = manyModifiers(edit, value);
  const turn = (next: ManyEdit): void => {
    setEdit(next);
    setValue(next === "outcome" ? "success" : "");
  };
  const wrong = edit === "steps" && value.trim() !== "" && modifiers === null;
  return (
    <ChangeDialog
      {...asked}
      title={(count) => t("bulk.edit.title", { count })}
      label={t("bulk.edit.do")}
      ready={modifiers !== null}
      send={(stamp) => post("api/episodes/edit", { ...body(stamp), modifiers: modifiers ?? "" })}
    >
      <Field label={t("bulk.edit.what")}>
        <select value={edit} onChange={(event) => turn(MANY_EDITS.find((one) => one === event.currentTarget.value) ?? "instruction")}>
          {MANY_EDITS.map((one) => <option key={one} value={one}>{t(`bulk.edit.${one}`)}</option>)}
        </select>
      </Field>
      <Field label={t(`bulk.edit.${edit}`)}>
        <EditValue edit={edit} value={value} wrong={wrong} onValue={setValue} />
      </Field>
      {edit === "steps" && <p class="hint">{t("bulk.edit.steps.hint")}</p>}
      {wrong && <p class="bad-text" role="alert">{t("bulk.edit.steps.wrong")}</p>}
      {edit === "modifiers" && <p class="hint">{t("bulk.edit.modifiers.hint")}</p>}
      <p class="hint">{t("bulk.edit.hint")}</p>
    </ChangeDialog>
  );
}

function EditValue({ edit, value, wrong, onValue }: {
  readonly edit: ManyEdit;
  readonly value: string;
  readonly wrong: boolean;
  readonly onValue: (value: string) => void;
}): JSX.Element {
  switch (edit) {
    case "outcome":
      return (
        <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
          {OUTCOMES.map((one) => <option key={one} value={one}>{formatOutcome(one)}</option>)}
        </select>
      );
    case "steps":
      return <input type="text" autocomplete="off" aria-invalid={wrong} value={value} onInput={(event) => onValue(event.currentTarget.value)} />;
    case "instruction":
    case "modifiers":
      return <textarea rows={2} maxLength={10_000} spellcheck={edit === "instruction"} class={edit === "modifiers" ? "mono" : ""} value={value} onInput={(event) => onValue(event.currentTarget.value)} />;
  }
}

export function RemoveDialog({ body, ...asked }: Asked): JSX.Element {
  return (
    <ChangeDialog {...asked} title={(count) => t("bulk.remove.title", { count })} label={t("bulk.remove.do")} ready danger send={(stamp) => post("api/episodes/remove", body(stamp))}>
      <p>{t("bulk.remove.hint")}</p>
    </ChangeDialog>
  );
}

export function ExportDialog({ body, ...asked }: Asked): JSX.Element {
  const [to, setTo] = useState("tapwright");
  const [convention, setConvention] = useState("json");
  const choices = useData(() => get("api/episodes/export/choices"), []);
  const trains = choices.value?.formats.some((one) => one.name === to && one.training) ?? false;
  return (
    <ChangeDialog
      {...asked}
      title={(count) => t("bulk.files.title", { count })}
      label={t("bulk.files.do")}
      ready={choices.value !== undefined}
      harmless
      send={(stamp) => post("api/episodes/export", { ...body(stamp), to, convention: trains ? convention : "" })}
    >
      <Data data={choices}>
        {({ formats, conventions }) => (
          <>
            <Field label={t("bulk.files.format")}>
              <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
                {formats.map(({ name, training }) => (
                  <option key={name} value={name}>{name === "tapwright" ? t("bulk.files.store") : training ? t("bulk.files.training", { name }) : name}</option>
                ))}
              </select>
            </Field>
            {trains && (
              <Field label={t("bulk.files.convention")}>
                <select value={convention} onChange={(event) => setConvention(event.currentTarget.value)}>
                  {conventions.map((name) => <option key={name} value={name}>{name}</option>)}
                </select>
              </Field>
            )}
          </>
        )}
      </Data>
      <p class="hint">{t("bulk.files.hint")}</p>
    </ChangeDialog>
  );
}
