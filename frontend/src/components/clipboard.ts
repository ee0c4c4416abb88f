// Copies a text, and says so.

import { t } from "../i18n";
import { notify } from "./notices";

/** Copies `text` and reports it with `done`; a browser that refuses is reported, too. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify("success", done);
  } catch {
    notify("error", t("copy.failed"), text); // a page from file://, or a browser that asks and is refused
  }
}
