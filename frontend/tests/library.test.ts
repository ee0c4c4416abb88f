import { expect, test } from "vitest";

import { countFacets, filterPage } from "../src/bundle/list";
import { modifiers } from "../src/editing/modifiers";
import { possible } from "../src/editing/history";
import { formatOverlays, parseOverlays, OVERLAYS } from "../src/library/marks";
import { shellCommand } from "../src/library/shellcommand";
import type { EntryView, VersionView } from "../src/generated/api";
import { diffWords } from "../src/review/textdiff";

const TEXTS = ["", "a", "I tap the bell.", "I tap the red bell, twice.", "点击铃铛", "点击红色的铃铛。", "  a  b\nc", "x".repeat(50)];

test("the pieces of a word diff give both texts back", () => {
  for (const old of TEXTS) {
    for (const next of TEXTS) {
      const pieces = diffWords(old, next);
      const without = (sign: string): string => pieces.filter((piece) => piece.sign !== sign).map((piece) => piece.text).join("");
      expect(without("+")).toBe(old);
      expect(without("-")).toBe(next);
    }
  }
});

test("a word diff tells only what changed, in Chinese sign by sign", () => {
  expect(diffWords("I tap the bell.", "I tap the red bell.")).toContainEqual({ sign: "+", text: "red " });
  expect(diffWords("点击铃铛", "点击红铃铛")).toEqual([{ sign: " ", text: "点击" }, { sign: "+", text: "红" }, { sign: " ", text: "铃铛" }]);
  expect(diffWords("a b c", "x y c")).toEqual([{ sign: "-", text: "a b" }, { sign: "+", text: "x y" }, { sign: " ", text: " c" }]);
});

test("texts in modifiers are JSON, so that no colon, comma or quote ends them", () => {
  expect(modifiers.target(3, 'a: "b", c')).toBe('relabel:3:target:"a: \\"b\\", c"');
  expect(modifiers.step_instruction(0, "a, b")).toBe('relabel:0:step_instruction:"a, b"');
  expect(modifiers.messages(1, [])).toBe("instructionize:1:-1");
  expect(modifiers.remove(2, 5)).toBe("delete:2:5");
});

test("a command quotes what a shell would read", () => {
  expect(shellCommand("tapwright", "a b", "it's", "$(x)", "plain-1.2/3")).toBe(`tapwright 'a b' 'it'"'"'s' '$(x)' plain-1.2/3`);
});

test("an address holds which overlays are drawn", () => {
  for (let bits = 0; bits < 16; bits++) {
    const shown = new Set(OVERLAYS.filter((_, index) => bits & (1 << index)));
    const text = formatOverlays(shown);
    expect(parseOverlays(new URLSearchParams(text === undefined ? {} : { overlay: text }))).toEqual(shown);
  }
});

test("undo and redo are possible as the store has them", () => {
  const change = (what: VersionView["change"], version: number): VersionView => ({ change: what, version, parent: null, edit: "", time: "" });
  const recorded = change("recorded", 1);
  expect(possible({ history: [recorded], current: 1 })).toEqual({ undo: false, redo: false });
  const history = [recorded, change("edit", 2), change("undo", 1)];
  expect(possible({ history, current: 1 })).toEqual({ undo: false, redo: true });
  expect(possible({ history: [...history, change("redo", 2)], current: 2 })).toEqual({ undo: true, redo: false });
  expect(possible({ history: [...history, change("edit", 3)], current: 3 })).toEqual({ undo: true, redo: false });
});

test("a static copy filters, counts and orders as the server does", () => {
  const entry = (id: string, steps: number, app: string, tags: string[] = []): EntryView => ({
    id, steps, apps: [app], tags, task: `t${steps}`, suite: "", instruction: `do ${id}`, agent: "x", device: "d", language: "en", created: "", version: 1,
    duration_s: steps, outcome: "success", evidence: "", reviewed: 0, review: "open", comments: 0, comment: "", rating: 0, unfit: steps - 1, fit: { target: 1, ...(steps > 1 ? { stale: steps - 1 } : {}) }, first: null, last: null,
  });
  const listed = { store: "s", episodes: [entry("a", 2, "org.notes", ["good"]), entry("b", 5, "org.mail", ["good", "new"]), entry("c", 1, "org.notes")] };
  const ids = (query: Record<string, string>): string[] => filterPage(listed, query).episodes.map((one) => one.id);
  expect(ids({})).toEqual(["c", "b", "a"]);
  expect(ids({ app: "notes", sort: "created" })).toEqual(["a", "c"]);
  expect(ids({ sort: "-steps" })).toEqual(["b", "a", "c"]);
  expect(ids({ q: "DO B" })).toEqual(["b"]);
  expect(ids({ tag: "new" })).toEqual(["b"]);
  expect(countFacets(listed, {}).app).toEqual({ "org.notes": 2, "org.mail": 1 });
  expect(countFacets(listed, { app: "org.notes" }).app).toEqual({ "org.notes": 2, "org.mail": 1 });
  expect(countFacets(listed, { app: "org.notes" }).tag).toEqual({ good: 1 });
  expect(ids({ fit: "stale", sort: "-unfit" })).toEqual(["b", "a"]);
  expect(countFacets(listed, {}).fit).toEqual({ stale: 2 });
  expect(countFacets(listed, {}).suite).toEqual({});
});
