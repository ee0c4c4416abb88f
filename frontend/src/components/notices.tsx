// Short messages at the edge of the page, read aloud by screen readers. Errors stay until dismissed.

import { signal } from "@preact/signals";
import type { JSX } from "preact";

import { ApiError } from "../api";
import { t } from "../i18n";
import { Button } from "./button";

interface Notice {
  readonly id: number;
  readonly kind: "info" | "success" | "error";
  readonly text: string;
  readonly hint: string;
}

const SHOWN_MS = 5000;
const notices = signal<readonly Notice[]>([]);
let counted = 0;

export function notify(kind: Notice["kind"], text: string, hint = ""): void {
  const id = ++counted;
  notices.value = [...notices.value.slice(-3), { id, kind, text, hint }];
  if (kind !== "error") setTimeout(() => dismiss(id), SHOWN_MS);
}

/** Reports an error: the server's message with its code and hint, or that it does not respond. */
export function notifyError(error: unknown): void {
  const { text, hint } = describeError(error);
  notify("error", text, hint);
}

/** An error as text for people. */
export function describeError(error: unknown): { text: string; hint: string } {
  if (error instanceof ApiError) {
    if (error.code === "offline") return { text: t("error.offline"), hint: t("error.offline.hint") };
    return { text: error.message ? `${error.message} (${error.code})` : error.code, hint: error.hint };
  }
  return { text: error instanceof Error ? error.message : String(error), hint: "" };
}

function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function Notices(): JSX.Element {
  return (
    <div class="notices" role="region" aria-label={t("notice.label")} aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.kind}`} role={notice.kind === "error" ? "alert" : "status"}>
          <div>
            <p>{notice.text}</p>
            {notice.hint && <p class="hint">{notice.hint}</p>}
          </div>
          <Button label={t("notice.dismiss")} kind="quiet" bare icon="×" onPress={() => dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}
