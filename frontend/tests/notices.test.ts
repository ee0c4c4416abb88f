import { expect, test } from "vitest";

import { withNotice, type Notice, type NoticeAction } from "../src/components/notices";

let counted = 0;

const notice = (kind: Notice["kind"], text: string, action?: NoticeAction): Notice => ({ id: ++counted, kind, text, hint: "", details: "", action, times: 1 });
const shown = (...all: Notice[]): Notice[] => all.reduce<readonly Notice[]>(withNotice, []).slice();
const words = (...all: Notice[]): string[] => shown(...all).map(({ text }) => text);
const undo = (onlyHere: boolean): NoticeAction => ({ label: "Undo", run: () => undefined, onlyHere });

test("of what was done, the newest takes the place of the one before", () => {
  expect(words(notice("success", "version 1"), notice("success", "version 2"))).toEqual(["version 2"]);
  expect(words(notice("success", "5 tagged", undo(false)), notice("success", "copied"))).toEqual(["copied"]);
});

test("a message of another kind stays where it is", () => {
  expect(words(notice("success", "saved"), notice("error", "failed"), notice("success", "saved again"))).toEqual(["saved again", "failed"]);
});

test("what can be undone from its message alone keeps it", () => {
  expect(words(notice("success", "a is removed", undo(true)), notice("success", "b is removed", undo(true)), notice("success", "copied"))).toEqual([
    "a is removed",
    "b is removed",
    "copied",
  ]);
});

test("an error that repeats is told once, with how often it came", () => {
  const all = shown(notice("error", "not taken"), notice("error", "away"), notice("error", "not taken"), notice("error", "not taken"));
  expect(all.map(({ text, times }) => [text, times])).toEqual([["not taken", 3], ["away", 1]]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(2);
});

test("no more than four are shown", () => {
  expect(words(...["a", "b", "c", "d", "e"].map((text) => notice("error", text)))).toEqual(["b", "c", "d", "e"]);
});
