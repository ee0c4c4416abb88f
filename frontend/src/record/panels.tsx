// Controls beside the screen: keys, and elements by name.

import type { JSX } from "preact";

import { Button } from "../components/button";
import type { StateMessage } from "../generated/api";
import { t, type Word } from "../i18n";
import { centerOf, roleName, type Elements } from "./elements";
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
              {element.label} <span class="hint">{roleName(element.role)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
