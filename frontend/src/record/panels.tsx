// Controls beside the screen: keys, text, apps, an answer, elements by name.

import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { composes, useShortcut } from "../components/keys";
import type { StateMessage } from "../generated/api";
import { t, type Word } from "../i18n";
import { centerOf, type Elements } from "./elements";
import type { UserAction } from "./protocol";

export interface PanelProps {
  readonly act: (action: UserAction) => void;
  readonly live: boolean;
}

export interface KeysPanelProps extends PanelProps {
  /** Those of the device. */
  readonly keys: readonly Key[];
  readonly joinsTaps: boolean;
  readonly onJoinTaps: (joins: boolean) => void;
}

type Key = StateMessage["keys"][number];

interface KeyButton {
  readonly key: Key;
  readonly label: Word;
  readonly icon: string;
  readonly shortcut?: string;
}

const KEY_BUTTONS: readonly KeyButton[] = [
  { key: "back", label: "act.back", icon: "◁", shortcut: "B" },
  { key: "home", label: "act.home", icon: "○", shortcut: "H" },
  { key: "recents", label: "act.recents", icon: "□", shortcut: "G" },
  { key: "rotate", label: "act.rotate", icon: "⟲" },
  { key: "enter", label: "act.enter", icon: "⏎" },
];

export function KeysPanel({ act, live, keys, joinsTaps, onJoinTaps }: KeysPanelProps): JSX.Element {
  return (
    <section class="panel" aria-label={t("act.heading")}>
      <div class="key-row">
        {KEY_BUTTONS.filter(({ key }) => keys.includes(key)).map(({ key, label, icon, shortcut }) => (
          <Button key={key} label={t(label)} icon={icon} keys={shortcut} disabled={!live} onPress={() => act({ type: "press_key", key })} />
        ))}
        <Button label={t("act.wait")} keys="W" disabled={!live} onPress={() => act({ type: "wait", duration_s: 1 })} />
        <Button label={t("act.double")} keys="D" pressed={joinsTaps} onPress={() => onJoinTaps(!joinsTaps)} title={t("act.double.help")} />
      </div>
    </section>
  );
}

/** A text to be sent whole: Enter sends, Shift+Enter breaks the line, an input method keeps its Enter. */
function Sender({
  label,
  help,
  button,
  keys,
  live,
  onSend,
}: {
  readonly label: string;
  readonly help?: string;
  readonly button: string;
  readonly keys?: string;
  readonly live: boolean;
  readonly onSend: (text: string) => void;
}): JSX.Element {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useShortcut(keys, label, () => field.current?.focus());
  const send = (): void => {
    if (text === "" || !live) return;
    onSend(text);
    setText("");
  };
  return (
    <div class="sender">
      <label for={id}>
        {label} {keys && <kbd aria-hidden="true">{keys}</kbd>}
      </label>
      <textarea
        id={id}
        ref={field}
        rows={2}
        value={text}
        {...(help ? { "aria-describedby": `${id}-help` } : {})}
        {...(keys ? { "aria-keyshortcuts": keys } : {})}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (composes(event)) return;
          if (event.key === "Escape") field.current?.blur();
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="sender-end">
        {help && (
          <span class="hint" id={`${id}-help`}>
            {help}
          </span>
        )}
        <Button label={button} disabled={!live || text === ""} onPress={send} />
      </div>
    </div>
  );
}

export function TextPanel({ act, live, apps }: PanelProps & { readonly apps: readonly string[] }): JSX.Element {
  return (
    <section class="panel" aria-label={t("act.text")}>
      <Sender
        label={t("act.text")}
        help={t("act.text.help")}
        button={t("act.text.send")}
        keys="T"
        live={live}
        onSend={(text) => act({ type: "type_text", text })}
      />
      <AppField act={act} live={live} apps={apps} />
      <details>
        <summary>{t("act.answer")}</summary>
        <Sender label={t("act.answer")} button={t("act.answer.send")} live={live} onSend={(text) => act({ type: "answer", text })} />
      </details>
    </section>
  );
}

function AppField({ act, live, apps }: PanelProps & { readonly apps: readonly string[] }): JSX.Element {
  const [app, setApp] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useShortcut("O", t("act.app"), () => field.current?.focus());
  return (
    <form
      class="app-field"
      onSubmit={(event) => {
        event.preventDefault();
        if (app.trim() === "" || !live) return;
        act({ type: "open_app", app: app.trim() });
        setApp("");
      }}
    >
      <label for={id}>
        {t("act.app")} <kbd aria-hidden="true">O</kbd>
      </label>
      <div class="row">
        <input
          id={id}
          ref={field}
          list={`${id}-apps`}
          autocomplete="off"
          aria-keyshortcuts="O"
          value={app}
          onInput={(event) => setApp(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Escape" && !composes(event) && field.current?.blur()}
        />
        <datalist id={`${id}-apps`}>
          {apps.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit" class="button" disabled={!live || app.trim() === ""}>
          {t("act.app.open")}
        </button>
      </div>
    </form>
  );
}

/** The screen without a pointer: every clickable element by its name. */
export function ElementsPanel({ act, live, elements }: PanelProps & { readonly elements: Elements }): JSX.Element {
  const shown = elements.all.value.filter((element) => element.clickable && element.label !== "");
  return (
    <details class="panel" onToggle={(event) => (elements.listed.value = event.currentTarget.open)}>
      <summary>{t("act.elements")}</summary>
      {shown.length === 0 && <p class="hint">{t("act.elements.none")}</p>}
      <ul class="elements">
        {shown.map((element, index) => (
          <li key={`${index} ${element.id}`}>
            <button type="button" class="button quiet" disabled={!live || !elements.fresh.value} onClick={() => act({ type: "tap", at: centerOf(element), button: "left" })}>
              {element.label} <span class="hint">{element.role}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
