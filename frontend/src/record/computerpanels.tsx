// Controls that computers have and phones have not: chords of keys, and a browser's addresses and tabs.

import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import { composes, useShortcut } from "../components/keys";
import type { StateMessage } from "../generated/api";
import { t } from "../i18n";
import { heldChord, isBrowser, pressedChord, readChord, usesMouse } from "./mouse";
import type { PanelProps } from "./panels";
import type { UserAction } from "./protocol";

export interface ComputerPanelProps extends PanelProps {
  /** Those of the device. */
  readonly keys: StateMessage["keys"];
}

export function ComputerPanel({ act, live, keys }: ComputerPanelProps): JSX.Element | null {
  if (!usesMouse(keys)) return null;
  return (
    <section class="panel" aria-label={t("computer.heading")}>
      <ChordField act={act} live={live} keys={keys} />
      {isBrowser(keys) && <AddressField act={act} live={live} />}
    </section>
  );
}

/** Keys by their names, or pressed here: those that the browser keeps for itself can only be written. */
function ChordField({ act, live, keys }: ComputerPanelProps): JSX.Element {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useShortcut("K", t("computer.chord"), () => field.current?.focus());
  const chord = readChord(text, keys);
  /** What is pressed now: it is sent as it goes up, since then it is known how long it was down. */
  const down = useRef<{ readonly chord: UserAction; readonly ms: number } | null>(null);
  const letGo = (ms: number): void => {
    if (down.current) act(heldChord(down.current.chord, down.current.ms, ms));
    down.current = null;
  };
  return (
    <form
      class="app-field"
      onSubmit={(event) => {
        event.preventDefault();
        if (chord === null || !live) return;
        act(chord);
        setText("");
      }}
    >
      <label for={id}>
        {t("computer.chord")} <kbd aria-hidden="true">K</kbd>
      </label>
      <div class="row">
        <input
          id={id}
          ref={field}
          autocomplete="off"
          aria-keyshortcuts="K"
          aria-describedby={`${id}-help`}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (composes(event)) return;
            const pressed = pressedChord(event);
            if (pressed !== null && live) {
              event.preventDefault();
              if (!event.repeat) down.current = { chord: pressed, ms: event.timeStamp };
            } else if (event.key === "Escape") field.current?.blur();
          }}
          onKeyUp={(event) => letGo(event.timeStamp)}
          onBlur={(event) => letGo(event.timeStamp)}
        />
        <button type="submit" class="button" disabled={!live || chord === null}>
          {t("computer.chord.press")}
        </button>
      </div>
      <span class="hint" id={`${id}-help`}>
        {t("computer.chord.help")}
      </span>
    </form>
  );
}

function AddressField({ act, live }: PanelProps): JSX.Element {
  const [url, setUrl] = useState("");
  const [tab, setTab] = useState("1");
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useShortcut("A", t("computer.address"), () => field.current?.focus());
  const written = url.trim();
  const number = Number(tab);
  return (
    <>
      <form
        class="app-field"
        onSubmit={(event) => {
          event.preventDefault();
          if (written === "" || !live) return;
          act({ type: "goto", url: written });
          setUrl("");
        }}
      >
        <label for={id}>
          {t("computer.address")} <kbd aria-hidden="true">A</kbd>
        </label>
        <div class="row">
          <input
            id={id}
            ref={field}
            autocomplete="off"
            inputMode="url"
            aria-keyshortcuts="A"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && !composes(event) && field.current?.blur()}
          />
          <button type="submit" class="button" disabled={!live || written === ""}>
            {t("computer.goto")}
          </button>
        </div>
      </form>
      <div class="key-row">
        <Button
          label={t("computer.newtab")}
          disabled={!live}
          onPress={() => {
            act(written === "" ? { type: "new_tab" } : { type: "new_tab", url: written });
            setUrl("");
          }}
        />
        <Button label={t("computer.closetab")} disabled={!live} onPress={() => act({ type: "close_tab" })} />
      </div>
      <form
        class="app-field"
        onSubmit={(event) => {
          event.preventDefault();
          if (live && Number.isInteger(number) && number >= 1) act({ type: "switch_tab", tab: number - 1 });
        }}
      >
        <label for={`${id}-tab`}>{t("computer.tab")}</label>
        <div class="row">
          <input id={`${id}-tab`} type="number" min="1" max="100" value={tab} onInput={(event) => setTab(event.currentTarget.value)} />
          <button type="submit" class="button" disabled={!live}>
            {t("computer.switchtab")}
          </button>
        </div>
      </form>
    </>
  );
}
