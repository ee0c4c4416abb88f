// The texts of the app, in English and Chinese; a page loads those of its language. A section is one file
// per language; `zh` must have exactly the keys of `en`, which the compiler checks, and the same {places},
// which a test checks.

import { computed, signal } from "@preact/signals";

import type { en } from "./en";

export type Word = keyof typeof en;
export type Language = "en" | "zh";

type Words = Readonly<Record<Word, string>>;
const WORDS: Record<Language, () => Promise<Words>> = {
  en: () => import("./en").then(({ en }) => en),
  zh: () => import("./zh").then(({ zh }) => zh),
};
const KEPT = "tapwright.language";

/** The language, and its texts once they are loaded. */
const spoken = signal<{ readonly language: Language; readonly words: Words | null }>({ language: "en", words: null });

export const language = computed(() => spoken.value.language);

/** The text for `word`; {name} becomes the value of that name, {name:step|steps} the form that fits its number. */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  return fill(spoken.value.words?.[word] ?? word, values);
}

export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return (many === undefined ? String(value) : value === 1 ? one : many) ?? whole;
  });
}

/** Loads a language, and speaks it from then on. */
export async function speak(next: Language): Promise<void> {
  spoken.value = { language: next, words: await WORDS[next]() };
}

/** Speaks a language, also after a reload. */
export async function setLanguage(next: Language): Promise<void> {
  await speak(next);
  localStorage.setItem(KEPT, next);
  document.documentElement.lang = next;
}

/** Speaks the language that was chosen before, else that of the browser. */
export async function initLanguage(): Promise<void> {
  const kept = localStorage.getItem(KEPT);
  const found = kept === "en" || kept === "zh" ? kept : navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
  document.documentElement.lang = found;
  await speak(found);
}
