// The command that does the same, to read and to copy.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { copyText } from "../components/clipboard";
import { t } from "../i18n";

export function Command({ line }: { readonly line: string }): JSX.Element {
  return (
    <div class="command">
      <code>{line}</code>
      <Button label={t("command.copy")} kind="quiet" onPress={() => void copyText(line, t("command.copied"))} />
    </div>
  );
}
