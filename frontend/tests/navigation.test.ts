import { expect, test } from "vitest";

import { beginsAtTop, isStep, moveOf } from "../src/navigation";
import { parsePlace } from "../src/router";

const move = (before: string, next: string): string => moveOf(parsePlace(before), parsePlace(next));

test("another page is a step back, and begins at its top", () => {
  expect(move("episodes?page=2", "episodes/a")).toBe("page");
  expect(isStep("page") && beginsAtTop("page")).toBe(true);
});

test("another page of a list is a step back from its top, even where something was opened", () => {
  expect(move("episodes?q=x", "episodes?q=x&page=1")).toBe("turn");
  expect(move("episodes?page=1&open=a", "episodes?page=2")).toBe("turn");
  expect(isStep("turn") && beginsAtTop("turn")).toBe(true);
});

test("what is opened beside a list is closed by Back, and the list stays where it is", () => {
  expect(move("runs/a?page=1", "runs/a?page=1&sample=3")).toBe("open");
  expect([isStep("open"), beginsAtTop("open")]).toEqual([true, false]);
});

test("a filter, an order and the next one opened are no steps", () => {
  expect(move("episodes?page=3", "episodes?q=wifi")).toBe("view");
  expect(move("runs/a?sample=9", "runs/a?sample=10&page=1")).toBe("view");
  expect(move("episodes/a?step=1", "episodes/a?step=2")).toBe("view");
  expect([isStep("view"), beginsAtTop("view")]).toEqual([false, false]);
});
