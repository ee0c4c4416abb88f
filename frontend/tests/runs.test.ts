import { expect, test } from "vitest";

import { holm } from "../src/bundle/source";
import { filterRows, pageRows, parseLabels, parseRowFilter, withLabel } from "../src/runs/rowfilter";
import { nextSort } from "../src/tables/sort";
import { findPair, parseRuns } from "../src/runs/pairs";
import { countRuns, filterRuns, parseRunFilter, sortRuns } from "../src/runs/runlist";
import type { PairView, RunSummary, SampleView } from "../src/generated/api";

const row = (key: string, values: Partial<SampleView>): SampleView =>
  ({ key, verdict: "hit", mistake: null, labels: {}, instruction: "", answer: "", score: 1, latency_s: 1, tokens: 0, steps: null, ...values }) as SampleView;
const ROWS = [
  row("2", { verdict: "miss", mistake: "near miss", labels: { app: "Notes: new", kind: "icon" }, instruction: "Open it", answer: "(1, 2)", score: 0, latency_s: 3 }),
  row("10", { labels: { app: "Mail", kind: "icon" }, latency_s: 2 }),
  row("9", { labels: { app: "Mail", kind: "text" }, verdict: "failed", score: null }),
];
const keys = (text: string): string[] => filterRows(ROWS, parseRowFilter(new URLSearchParams(text))).map((one) => one.key);

test("a filter of samples is what the address says", () => {
  expect(keys("")).toEqual(["2", "10", "9"]);
  expect(keys("verdict=miss&mistake=near+miss&label=app:Notes: new&q=OPEN")).toEqual(["2"]);
  expect(keys("label=app:Mail%0Akind:icon")).toEqual(["10"]);
  for (const other of ["verdict=miss&mistake=elsewhere", "label=app:None", "q=close"]) expect(keys(other)).toEqual([]);
});

test("samples are sorted by a column, those without a value last, and 9 before 10", () => {
  expect(keys("sort=key")).toEqual(["2", "9", "10"]);
  expect(keys("sort=-score")).toEqual(["10", "2", "9"]);
  expect(keys("sort=score")).toEqual(["2", "10", "9"]);
  expect(keys("sort=latency")).toEqual(["10", "2", "9"]);
  expect(keys("sort=kind")).toEqual(["2", "10", "9"]);
});

test("what can be filtered by further is counted under the rest of the filter", () => {
  const { facets, found, total } = pageRows(ROWS, parseRowFilter(new URLSearchParams("label=app:Mail")), 0);
  expect([found, total]).toEqual([2, 3]);
  expect(facets.verdict).toEqual({ hit: 1, failed: 1 });
  expect(facets.labels).toEqual({ app: { "Notes: new": 1, Mail: 2 }, kind: { icon: 1, text: 1 } });
});

test("a label is set, replaced and taken out of a filter", () => {
  const both = withLabel(withLabel("", "app", "a:b"), "kind", "icon");
  expect([...parseLabels(both)]).toEqual([["app", "a:b"], ["kind", "icon"]]);
  expect(withLabel(withLabel(both, "app", "c"), "kind", "")).toBe("app:c");
});

test("a press on a column's head sorts up, then down, then not", () => {
  expect(nextSort("", "score")).toBe("score");
  expect(nextSort("score", "score")).toBe("-score");
  expect(nextSort("-score", "score")).toBeUndefined();
  expect(nextSort("key", "score")).toBe("score");
});

test("Holm's correction is that of the worked example of his procedure", () => {
  expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});

test("a pair is the same seen from the other side, with the sign turned", () => {
  const pair: PairView = { before: "a", after: "b", n: 9, difference: 0.25, interval: [0.1, 0.4], p_value: 0.1, holm_p: 0.2, gained: 4, lost: 1, unpaired: 0 };
  expect(findPair([pair], "b", "a")).toBe(pair);
  expect(findPair([pair], "a", "b")).toEqual({ ...pair, before: "b", after: "a", difference: -0.25, interval: [-0.4, -0.1], gained: 1, lost: 4 });
  expect(findPair([pair], "a", "c")).toBeUndefined();
});

test("runs in an address are a list of names, or none", () => {
  expect(parseRuns('["a","b","a"]')).toEqual(["a", "b"]);
  for (const other of ["", "a", "{}", "[1]"]) expect(parseRuns(other)).toEqual([]);
});

test("the list of runs is narrowed by benchmark, model and day, and counts what each would leave", () => {
  const run = (name: string, benchmark: string, subject: string, created: string): RunSummary => ({ name, benchmark, subject, created }) as RunSummary;
  const runs = [run("a", "l3", "m", "2026-11-22T10:00:00+00:00"), run("b", "l3", "n", "2026-11-23T00:00:00+00:00"), run("c", "l4", "m", "2026-12-01T00:00:00+00:00")];
  const filter = (text: string) => parseRunFilter(new URLSearchParams(text));
  const names = (text: string): string[] => filterRuns(runs, filter(text)).map(({ name }) => name);
  expect(names("")).toEqual(["a", "b", "c"]);
  expect(names("benchmark=l3&subject=m")).toEqual(["a"]);
  expect(names("since=2026-11-23")).toEqual(["b", "c"]);
  expect(countRuns(runs, filter("benchmark=l3"), "benchmark")).toEqual({ l3: 2, l4: 1 });
  expect(countRuns(runs, filter("benchmark=l3"), "subject")).toEqual({ m: 1, n: 1 });
  expect(sortRuns(runs, "-started").map(({ name }) => name)).toEqual(["c", "b", "a"]);
  expect(sortRuns(runs, "nonsense")).toEqual(runs);
});
