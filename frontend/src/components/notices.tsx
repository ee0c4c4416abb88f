// Short messages at the edge of the page, read aloud by screen readers. Errors stay until dismissed; of
// what was done, the newest takes the place of the one before.

import { signal } from "@preact/signals";
import type { JSX } from "preact";

import { ApiError } from "../api";
import { t } from "../i18n";
import { explainError } from "../i18n/errors";
import { Button } from "./button";

export interface Notice {
  readonly id: number;
  readonly kind: "info" | "success" | "error";
  readonly text: string;
  readonly hint: string;
  /** English words of the server, in closed details. */
  readonly details: string;
  readonly action: NoticeAction | undefined;
  /** How often it came. */
  readonly times: number;
}

/** What can be done about it; a message with an action stays until it is dismissed. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
  /** Whether it can be done from this message alone, so that no other takes its place. */
  readonly onlyHere?: boolean;
}

const SHOWN_MS = 5000;
const notices = signal<readonly Notice[]>([]);
let counted = 0;

export function notify(kind: Notice["kind"], text: string, hint = "", details = "", action?: NoticeAction): void {
  const id = ++counted;
  notices.value = withNotice(notices.value, { id, kind, text, hint, details, action, times: 1 });
  if (kind !== "error" && !action) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** The messages with one more, four at most: of what was done only the newest, of errors in the same words one that counts. */
export function withNotice(shown: readonly Notice[], next: Notice): readonly Notice[] {
  const same = shown.find((one) => (next.kind === "error" ? repeats(one, next) : one.kind === next.kind && !one.action?.onlyHere));
  if (!same) return [...shown.slice(-3), next];
  const instead = next.kind === "error" ? { ...next, times: same.times + 1 } : next;
  return shown.map((one) => (one === same ? instead : one));
}

function repeats(one: Notice, next: Notice): boolean {
  return one.kind === next.kind && one.text === next.text && one.hint === next.hint && !one.action && !next.action;
}

/** Reports an error: what it means, the way out, and the server's own words in closed details. */
export function notifyError(error: unknown): void {
  const { text, hint, details } = describeError(error);
  notify("error", text, hint, details);
}

/** What was tried again has been done: errors that tell nothing but that are of no use. */
export function dismissErrors(): void {
  notices.value = notices.value.filter((one) => one.kind !== "error" || one.action);
}

/** An error as text for people, in the language of the page; `details` are the server's words. */
export function describeError(error: unknown): { text: string; hint: string; details: string } {
  if (error instanceof ApiError) {
    if (error.code === "offline") return { text: t("error.offline"), hint: t("error.offline.hint"), details: "" };
    const details = [error.code, error.message, error.hint].filter((part) => part !== "").join(" · ");
    return { ...explainError(error.code, error.values), details };
  }
  return { text: t("problem.failed"), hint: t("problem.failed.out"), details: error instanceof Error ? error.message : String(error) };
}

/** The server's own words on an error, closed until somebody asks. */
export function ErrorDetails({ text }: { readonly text: string }): JSX.Element | null {
  if (text === "") return null;
  return (
    <details class="error-details">
      <summary>{t("problem.details")}</summary>
      <code lang="en">{text}</code>
    </details>
  );
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
            <p>{notice.text} {notice.times > 1 && <span class="tag">{t("notice.times", { n: notice.times })}</span>}</p>
            {notice.hint && <p class="hint">{notice.hint}</p>}
            <ErrorDetails text={notice.details} />
          </div>
          {notice.action && (
            <Button
              label={notice.action.label}
              onPress={() => {
                notice.action?.run();
                dismiss(notice.id);
              }}
            />
          )}
          <Button label={t("notice.dismiss")} kind="quiet" bare icon="×" onPress={() => dismiss(notice.id)} />
        </div>
      ))}
    </div>
  );
}
