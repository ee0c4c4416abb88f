import { expect, test } from "vitest";

import { fill, type Word } from "../src/i18n";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";

const placesOf = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort();

test("both languages have the same words", () => {
  expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
});

test("a word has the same places in both languages, and says something", () => {
  for (const word of Object.keys(en) as Word[]) {
    expect(placesOf(zh[word]), word).toEqual(placesOf(en[word]));
    expect(en[word].trim(), word).not.toBe("");
    expect(zh[word].trim(), word).not.toBe("");
  }
});

test("values fill places, and an unknown place stays to be seen", () => {
  expect(fill("{n} of {all}, {what}", { n: 1, all: 2 })).toBe("1 of 2, {what}");
});

test("a number chooses its form", () => {
  const words = "{n} {n:step|steps}";
  expect([0, 1, 2].map((n) => fill(words, { n }))).toEqual(["0 steps", "1 step", "2 steps"]);
});
