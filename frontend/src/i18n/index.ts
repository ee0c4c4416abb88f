// The texts of the app, in English and Chinese. A section is one file per language; `zh` must
// have exactly the keys of `en`, which the compiler checks, and the same {places}, which a test checks.

import { signal } from "@preact/signals";

import { common as enCommon } from "./en/common";
import { library as enLibrary } from "./en/library";
import { lists as enLists } from "./en/lists";
import { problems as enProblems } from "./en/problems";
import { record as enRecord } from "./en/record";
import { review as enReview } from "./en/review";
import { runs as enRuns } from "./en/runs";
import { team as enTeam } from "./en/team";
import { viewer as enViewer } from "./en/viewer";
import { watch as enWatch } from "./en/watch";
import { common as zhCommon } from "./zh/common";
import { library as zhLibrary } from "./zh/library";
import { lists as zhLists } from "./zh/lists";
import { problems as zhProblems } from "./zh/problems";
import { record as zhRecord } from "./zh/record";
import { review as zhReview } from "./zh/review";
import { runs as zhRuns } from "./zh/runs";
import { team as zhTeam } from "./zh/team";
import { viewer as zhViewer } from "./zh/viewer";
import { watch as zhWatch } from "./zh/watch";

export const en = { ...enCommon, ...enRecord, ...enLibrary, ...enLists, ...enReview, ...enRuns, ...enTeam, ...enProblems, ...enViewer, ...enWatch };
export type Word = keyof typeof en;
export const zh: Record<Word, string> = { ...zhCommon, ...zhRecord, ...zhLibrary, ...zhLists, ...zhReview, ...zhRuns, ...zhTeam, ...zhProblems, ...zhViewer, ...zhWatch };

export type Language = "en" | "zh";
const WORDS: Record<Language, Record<Word, string>> = { en, zh };
const KEPT = "tapwright.language";

export const language = signal<Language>("en");

/** The text for `word`; {name} becomes the value of that name, {name:step|steps} the form that fits its number. */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return fill(WORDS[language.value][word], values);
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return (many === undefined ? String(value) : value === 1 ? one : many) ?? whole;
  });
}

/** Sets the language, also after a reload. */
export function setLanguage(next: Language): void {
  localStorage.setItem(KEPT, next);
  language.value = next;
  document.documentElement.lang = next;
}

/** Sets the language that was chosen before, else that of the browser. */
export function initLanguage(): void {
  const kept = localStorage.getItem(KEPT);
  language.value = kept === "en" || kept === "zh" ? kept : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  document.documentElement.lang = language.value;
}
