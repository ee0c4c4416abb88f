// What a list says that shows nothing, and the way out: commands that fill it, a page, or a wider filter.

import type { ComponentChildren, JSX } from "preact";

import { Button } from "../components/button";
import { t } from "../i18n";
import { Command } from "./command";

export function Empty({ words, commands = [], onClear, children }: {
  readonly words: string;
  readonly commands?: readonly string[];
  /** Takes the filter away that nothing fits. */
  readonly onClear?: () => void;
  /** A link to a page that goes on. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="panel">
      <p>{words}</p>
      {commands.map((line) => <Command key={line} line={line} />)}
      {onClear && <Button label={t("filter.clear")} onPress={onClear} />}
      {children}
    </div>
  );
}
