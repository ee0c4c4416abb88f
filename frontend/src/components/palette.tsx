// The command palette: pages, actions of the open page, and what the sources find, by a few letters.

import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { t } from "../i18n";
import { matching, stepped, type Command, type Group, type Source } from "./commands";
import { Dialog } from "./dialog";
import { composes, keySign } from "./keys";

const TYPING_MS = 150;

export function Palette({ groups, sources, onClose }: {
  readonly groups: readonly Group[];
  readonly sources: readonly Source[];
  readonly onClose: () => void;
}): JSX.Element {
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  useEffect(() => field.current?.focus(), []);
  const { groups: found, state } = useFound(sources, typed);
  const shown = [...groups.map(({ title, commands }) => ({ title, commands: matching(commands, typed) })), ...found].filter(
    ({ commands }) => commands.length > 0,
  );
  const flat = shown.flatMap(({ commands }) => commands);
  const chosen = Math.min(place, Math.max(0, flat.length - 1));
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (composes(event)) return;
    if (event.key === "ArrowDown") setPlace(stepped(chosen, 1, flat.length));
    else if (event.key === "ArrowUp") setPlace(stepped(chosen, -1, flat.length));
    else if (event.key === "Enter") run(flat[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t("palette.title")} closeLabel={t("close")} onClose={onClose}>
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={t("palette.search")}
        placeholder={t("palette.search")}
        aria-expanded={flat.length > 0}
        aria-controls={list}
        aria-activedescendant={flat.length > 0 ? `${list}-${chosen}` : undefined}
        autocomplete="off"
        value={typed}
        onInput={(event) => { setTyped(event.currentTarget.value); setPlace(0); }}
        onKeyDown={onKey}
      />
      <div class="palette" id={list} role="listbox" aria-label={t("palette.title")}>
        {shown.map(({ title, commands }) => (
          <div key={title} role="group" aria-label={t(title)}>
            <p class="palette-title" aria-hidden="true">{t(title)}</p>
            {commands.map((command, index) => {
              const at = flat.indexOf(command);
              return <Option key={index} id={`${list}-${at}`} command={command} selected={at === chosen} onPick={() => run(command)} />;
            })}
          </div>
        ))}
      </div>
      {(state !== "whole" || flat.length === 0) && <p class="quiet" role="status">{t(WORDS[state])}</p>}
    </Dialog>
  );
}

function Option({ id, command, selected, onPick }: {
  readonly id: string;
  readonly command: Command;
  readonly selected: boolean;
  readonly onPick: () => void;
}): JSX.Element {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected) option.current?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the option
    <div ref={option} id={id} role="option" aria-selected={selected} onClick={onPick}>
      <span>{command.label}</span>
      {command.detail && <span class="quiet">{command.detail}</span>}
      {command.keys && <kbd aria-hidden="true">{keySign(command.keys)}</kbd>}
    </div>
  );
}

interface Found {
  readonly groups: readonly Group[];
  /** "partial": a source did not answer, and what it would have found is missing. */
  readonly state: "looking" | "whole" | "partial";
}

const WORDS = { looking: "palette.looking", whole: "palette.none", partial: "palette.partial" } as const;

/** What the sources find once the typing pauses; one that fails hides nothing that others find. */
function useFound(sources: readonly Source[], typed: string): Found {
  const [found, setFound] = useState<Found>({ groups: [], state: "looking" });
  useEffect(() => {
    let current = true;
    setFound(({ groups }) => ({ groups, state: "looking" }));
    const search = async (): Promise<void> => {
      let state: Found["state"] = "whole";
      const groups = await Promise.all(
        sources.map(async ({ title, find }) => ({ title, commands: await find(typed.trim()).catch(() => { state = "partial"; return []; }) })),
      );
      if (current) setFound({ groups, state });
    };
    const timer = setTimeout(() => void search(), TYPING_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [sources, typed]);
  return found;
}
