import { expect, test } from "vitest";

import { countLeft, countSame } from "../src/changes/jobs";
import { countNarrowing, formatColumns, listCommand, NEWEST, pageQuery, parseList, USUAL } from "../src/lists/episodelist";
import { manyModifiers, parseSteps } from "../src/lists/manyedits";
import { parseViews, viewQuery } from "../src/lists/views";
import { isChosen, NOTHING, parseTags, selectionBody, turned } from "../src/lists/selection";

const parsed = (text: string): ReturnType<typeof parseList> => parseList(new URLSearchParams(text));

test("an address says all of a list, and one of old or strange words is a list still", () => {
  const plain = parsed("");
  expect(plain).toEqual({ filter: {}, sort: NEWEST, page: 0, view: "table", columns: USUAL, open: null });
  const list = parsed("q=milk&app=org.notes&tag=&sort=-steps&page=2&view=cards&columns=steps,instruction,nonsense&open=b");
  expect(list).toEqual({ filter: { q: "milk", app: "org.notes" }, sort: "-steps", page: 2, view: "cards", columns: ["instruction", "steps"], open: "b" });
  expect(pageQuery(list)).toEqual({ q: "milk", app: "org.notes", sort: "-steps", page: 2 });
  expect(parsed("page=-3&columns=nonsense")).toEqual(plain);
});

test("whatever narrows a list besides its search is counted on the button that folds its filter", () => {
  expect(countNarrowing(parsed("q=milk&task=phone/1&run=r&page=2").filter)).toBe(1);
  expect(countNarrowing(parsed("task=phone/1&commented=yes&app=notes&tag=good").filter)).toBe(4);
});

test("columns keep their order in the address, and the usual ones are not in it", () => {
  expect(formatColumns(["steps", "instruction"])).toBe("instruction,steps");
  expect(formatColumns([...USUAL].reverse())).toBeUndefined();
});

test("the command lists what the page lists", () => {
  expect(listCommand("s", parsed("q=milk&app=org.notes"))).toBe("tapwright episodes ls s --text milk --app org.notes");
  const filtered = parsed("q=steps+>+3+or+steps+==+1&suite=phone&tag=good&run=r&sort=steps");
  expect(listCommand("s", filtered)).toBe(`tapwright episodes ls s --where '(steps > 3 or steps == 1) and suite == "phone" and tag("good")' --sort steps`);
});

test("a row is turned out of all that match, and the others of its page stay", () => {
  const page = ["a", "b", "c"];
  expect(turned("all", "b", page)).toEqual(new Set(["a", "c"]));
  expect(turned(turned(NOTHING, "a", page), "b", page)).toEqual(new Set(["a", "b"]));
  expect(turned(new Set(["a"]), "a", page)).toEqual(NOTHING);
  expect(isChosen("all", "z")).toBe(true);
});

test("all that match are named by the filter they were counted with, some by their ids", () => {
  expect(selectionBody("all", { app: "notes" }, "s")).toEqual({ filter: { app: "notes" }, stamp: "s" });
  expect(selectionBody(new Set(["a", "b"]), { app: "notes" }, "s")).toEqual({ ids: ["a", "b"] });
});

test("tags are words with blanks or commas between them, each of them once", () => {
  expect(parseTags(" good, new  good，长 ")).toEqual(["good", "new", "长"]);
  expect(parseTags("")).toEqual([]);
});

test("a view is filter, order and columns, and a broken storage has none", () => {
  expect(viewQuery(new URLSearchParams("app=notes&sort=-steps&page=3&open=b&columns=steps"))).toBe("app=notes&sort=-steps&columns=steps");
  expect(parseViews(null)).toEqual([]);
  expect(parseViews("{")).toEqual([]);
  expect(parseViews('[{"name":"b","query":""},{"name":3},{"name":"a","query":"q=x"}]').map(({ name }) => name)).toEqual(["a", "b"]);
});

test("an edit of many is a modifier of the command line, whose steps count from 0", () => {
  expect(manyModifiers("instruction", ' Say "hi", now: ')).toBe('instruction:"Say \\"hi\\", now:"');
  expect(manyModifiers("outcome", "failure")).toBe("outcome:failure");
  expect(manyModifiers("steps", "7-9, 2，5 2")).toBe("delete:[1,4,6,7,8]");
  expect(manyModifiers("modifiers", "rewardize:0:1 ")).toBe("rewardize:0:1");
  for (const text of ["0", "3-1", "two", "1-99999", "-1", ""]) expect(parseSteps(text)).toBeNull();
  expect(manyModifiers("modifiers", " ")).toBeNull();
});

test("what was neither changed nor left needed no change", () => {
  const job = { done: 9, changed: 4, left: { TW820: 2, TW821: 1 } };
  expect(countLeft(job)).toBe(3);
  expect(countSame(job)).toBe(2);
  expect(countSame({ ...job, done: 0 })).toBe(0);
});
