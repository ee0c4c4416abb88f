// What is written beside the screen: text for the device, an app to open, an answer or a question to the user,
// and what the user answers.

import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { composes, useShortcut } from "../components/keys";
import type { StepView } from "../generated/api";
import { t } from "../i18n";
import type { PanelProps } from "./panels";
import type { Command } from "./protocol";
import type { Session } from "./session";

/** A text to be sent whole: Enter sends, Shift+Enter breaks the line, an input method keeps its Enter. */
function Sender({
  label,
  help,
  button,
  keys,
  live,
  refused,
  onSend,
}: {
  readonly label: string;
  readonly help?: string;
  readonly button: string;
  readonly keys?: string;
  readonly live: boolean;
  /** What was sent from here and not taken: it stands in the field again, unless something else does. */
  readonly refused: { readonly text: string } | null;
  readonly onSend: (text: string) => void;
}): JSX.Element {
  const [text, setText] = useState("");
  useEffect(() => {
    if (refused) setText((typed) => typed || refused.text);
  }, [refused]);
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

export interface TextPanelProps extends PanelProps {
  readonly apps: readonly string[];
  readonly refused: Command | null;
}

export function TextPanel({ act, live, apps, refused }: TextPanelProps): JSX.Element {
  const action = refused?.t === "act" ? refused.action : null;
  return (
    <section class="panel" aria-label={t("act.text")}>
      <Sender
        label={t("act.text")}
        help={t("act.text.help")}
        button={t("act.text.send")}
        keys="T"
        live={live}
        refused={action?.type === "type_text" ? action : null}
        onSend={(text) => act({ type: "type_text", text })}
      />
      <AppField act={act} live={live} apps={apps} />
      <details>
        <summary>{t("act.answer")}</summary>
        <Sender label={t("act.answer")} button={t("act.answer.send")} live={live} refused={action?.type === "answer" ? action : null} onSend={(text) => act({ type: "answer", text })} />
      </details>
      <details>
        <summary>{t("act.ask")}</summary>
        <Sender label={t("act.ask")} help={t("act.ask.help")} button={t("act.ask.send")} live={live} refused={action?.type === "ask_user" ? action : null} onSend={(text) => act({ type: "ask_user", text })} />
      </details>
    </section>
  );
}

/** What the person thinks while they decide, a line at a time; it goes to the next step. */
export function ThinkAloud({ session, said, active }: { readonly session: Session; readonly said: StepView["said"]; readonly active: boolean }): JSX.Element {
  const refused = session.refused.value;
  return (
    <section class="panel think" aria-label={t("think.title")}>
      {said.length > 0 && <ul aria-label={t("think.pending")}>{said.map((line, index) => <li key={index} class="said">{line.text}</li>)}</ul>}
      <Sender label={t("think.title")} help={t("think.help")} button={t("think.send")} keys="S" live={active}
        refused={refused?.t === "say" ? refused : null} onSend={(text) => session.send({ t: "say", text, time_s: 0 })} />
    </section>
  );
}

/** The question that waits for the user's answer, above the screen; nothing where none does. */
export function Question({ session, last, active }: { readonly session: Session; readonly last: StepView | undefined; readonly active: boolean }): JSX.Element | null {
  const refused = session.refused.value;
  if (last?.action.type !== "ask_user" || last.reply !== "") return null;
  return (
    <section class="panel question" aria-label={t("question.title")}>
      <p>
        <strong>{t("question.title")}</strong> {last.action.text}
      </p>
      <Sender
        label={t("question.answer")}
        help={t("question.help")}
        button={t("question.send")}
        live={active}
        refused={refused?.t === "reply" ? refused : null}
        onSend={(text) => session.send({ t: "reply", text })}
      />
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
