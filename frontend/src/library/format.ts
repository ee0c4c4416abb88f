// Formats actions, numbers and times for people.

import type { Pair, Point } from "../components/geometry";
import { language, t } from "../i18n";
import type { Action } from "../generated/api";

/** What an action does, in one line; places in whole percent of the screen. */
export function describeAction(action: Action): string {
  switch (action.type) {
    case "tap":
    case "double_tap":
    case "triple_tap":
    case "long_press":
    case "hover":
      return withHeld(action, t(`action.${action.type}`, { at: at(action.at) }) + buttonOf(action));
    case "swipe":
      return t("action.swipe", { from: at(action.start), to: at(action.end) });
    case "drag":
      return withHeld(action, t("action.drag", { from: at(action.start), to: at(action.end) }) + pathOf(action.path) + buttonOf(action));
    case "scroll":
      return withHeld(action, t("action.scroll", { at: at(action.at), dx: action.dx, dy: action.dy }));
    case "button_down":
    case "button_up":
      return t(`action.${action.type}`, { button: action.button ?? "left" }) + (action.at ? ` (${at(action.at)})` : "");
    case "key_down":
    case "key_up":
      return t(`action.${action.type}`, { key: action.key });
    case "ask_user":
      return t("action.ask_user", { text: action.text });
    case "type_text":
      return t("action.type_text", { text: action.text }) + (action.at ? ` ${at(action.at)}` : "");
    case "answer":
      return t("action.answer", { text: action.text });
    case "press_key":
      return t("action.press_key", { key: action.key });
    case "hotkey":
      return t("action.press_key", { key: action.keys.join("+") }) + (action.duration_s ? t("action.for", { seconds: action.duration_s }) : "");
    case "open_app":
      return t("action.open_app", { app: action.app });
    case "goto":
      return t("action.goto", { url: action.url });
    case "new_tab":
      return action.url ? t("action.new_tab_at", { url: action.url }) : t("action.new_tab");
    case "close_tab":
      return t("action.close_tab");
    case "switch_tab":
      return t("action.switch_tab", { number: action.tab + 1 });
    case "wait":
      return t("action.wait", { seconds: action.duration_s });
    case "finish":
      return t(action.reason ? "action.finish.why" : "action.finish", { outcome: formatOutcome(action.outcome), reason: action.reason });
  }
}

/** What a step does, in one line; several actions in their order. */
export function describeActions({ action, more }: { readonly action: Action; readonly more: readonly Action[] }): string {
  return [action, ...more].map(describeAction).join(t("action.then"));
}

/** What is said of a drag that goes through places on its way. */
function pathOf(path: readonly Point[] = []): string {
  return path.length > 0 ? t("action.path", { n: path.length }) : "";
}

function buttonOf(action: Action): string {
  const button = "button" in action ? action.button : undefined;
  return button === undefined || button === "left" ? "" : ` (${button})`;
}

/** What is said of an action during which keys are down: "control+shift+tap at …". */
function withHeld({ held = [] }: { readonly held?: readonly string[] }, words: string): string {
  return [...held, words].join("+");
}

/** How an episode can have ended. */
export const OUTCOMES = ["success", "failure", "infeasible", "truncated", "asked", "interrupted", "unknown"] as const;

export function formatOutcome(outcome: string): string {
  switch (outcome) {
    case "success":
    case "failure":
    case "infeasible":
    case "truncated":
    case "asked":
    case "interrupted":
    case "unknown":
      return t(`outcome.${outcome}`);
    default:
      return outcome;
  }
}

/** The colour of an outcome or a verdict. */
export function outcomeColor(outcome: string): "good" | "bad" | "warn" | "" {
  switch (outcome) {
    case "success":
    case "hit":
      return "good";
    case "failure":
    case "miss":
      return "bad";
    case "truncated":
    case "asked":
    case "interrupted":
    case "infeasible":
    case "failed":
    case "unscored":
      return "warn";
    default:
      return "";
  }
}

/** Words as they begin a line. */
export function heading(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function formatPercent(share: number | null): string {
  return share === null ? "–" : t("percent", { of: (100 * share).toFixed(1) });
}

/** A difference of shares in points, always with its sign. */
export function formatPoints(share: number): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`;
}

export function formatInterval(interval: Pair | null): string {
  return interval === null ? "" : t("percent", { of: `${(100 * interval[0]).toFixed(0)}–${(100 * interval[1]).toFixed(0)}` });
}

/** An ISO 8601 time in the words of the reader's language and time zone. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (iso === "" || Number.isNaN(time.getTime())) return iso;
  return time.toLocaleString(language.value, { dateStyle: "medium", timeStyle: "short" });
}

/** The last part of a package: "org.example.notes" is "notes". */
export function appName(app: string): string {
  return app.slice(app.lastIndexOf(".") + 1);
}

function at({ x, y }: Point): string {
  return [x, y].map((share) => t("percent", { of: (100 * share).toFixed(0) })).join(", ");
}
