import { expect, test } from "vitest";

import type { ReviewItem } from "../src/generated/api";
import { facetOptions, filterQuery, parseFilter, type StepFilter } from "../src/review/filter";
import { parseRecordingFilter, recordingFilterQuery } from "../src/review/recordingfilter";
import { sidesOf } from "../src/review/sides";

const parsed = (address: string): StepFilter => parseFilter(new URLSearchParams(address));

test("an address holds the filter, and what leaves nothing out is not in it", () => {
  expect(filterQuery(parsed(""))).toEqual({});
  expect(filterQuery(parsed("show=open&code=&waiting_h=0&differs=false"))).toEqual({});
  for (const address of ["show=any", "show=reject&code=HINDSIGHT", "app=org.example.mail&differs=true&waiting_h=168"]) {
    const values = Object.entries(filterQuery(parsed(address))).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    expect(new URLSearchParams(values).toString()).toBe(address);
  }
});

test("an address of nonsense shows what is open", () => {
  expect(filterQuery(parsed("show=praise&waiting_h=3&differs=1"))).toEqual({});
});

test("an address holds the filter of recordings", () => {
  for (const address of ["", "show=again", "agent=human%2Fanna&task=t1&app=org.example.mail&waiting_h=24"]) {
    const filter = parseRecordingFilter(new URLSearchParams(address));
    const values = Object.entries(recordingFilterQuery(filter)).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    expect(new URLSearchParams(values).toString()).toBe(address);
  }
  expect(recordingFilterQuery(parseRecordingFilter(new URLSearchParams("show=edit&waiting_h=2")))).toEqual({});
});

test("the chosen value is offered even where it shows nothing", () => {
  expect(facetOptions({ a: 2 }, "")).toEqual([["a", 2]]);
  expect(facetOptions({ a: 2 }, "a")).toEqual([["a", 2]]);
  expect(facetOptions({ a: 2 }, "b")).toEqual([["a", 2], ["b", 0]]);
});

test("annotators stand side by side with their words as they were reviewed", () => {
  const item = {
    annotator: "vlm", reasoning: "I tap.", target: "it", invalid: false,
    review: { state: "edit", reasoning: "I tap it.", target: null },
    others: [{ annotator: "anna", reasoning: "", target: "", state: "open", invalid: true, lines: 0 }],
  } as unknown as ReviewItem;
  const [own, other] = sidesOf(item);
  expect(own).toMatchObject({ reasoning: "I tap it.", target: "it", usable: true });
  expect(other).toMatchObject({ annotator: "anna", usable: false });
  const rejected = { ...item, review: { state: "reject" } } as unknown as ReviewItem;
  expect(sidesOf(rejected)[0]?.usable).toBe(false);
});
