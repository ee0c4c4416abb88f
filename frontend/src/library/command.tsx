// The command that does the same, to read and to copy.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { notify } from "../components/notices";
import { t } from "../i18n";

export function Command({ line }: { readonly line: string }): JSX.Element {
  return (
    <div class="command">
      <code>{line}</code>
      <Button label={t("command.copy")} kind="quiet" onPress={() => void copy(line)} />
    </div>
  );
}

async function copy(line: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(line);
    notify("success", t("command.copied"));
  } catch {
    notify("error", t("command.failed")); // a page from file://, or a browser that asks and is refused
  }
}
