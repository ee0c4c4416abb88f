import { describe, expect, test } from "vitest";

import { makePlace, matchPath, parsePlace } from "../src/router";

describe("an id in the path", () => {
  test.each(["plain", "a b", "a/b", "任务 1/二", "100%", "?x=1#y", "é+&="])("%s comes back as it went in", (id) => {
    const place = parsePlace(makePlace(["episodes", id], { step: 17 }));
    expect(matchPath("episodes/:id", place.path)).toEqual({ id });
    expect(place.query.get("step")).toBe("17");
  });

  test("that is badly encoded is no place", () => {
    expect(matchPath("episodes/:id", "episodes/%zz")).toBeNull();
  });
});

test("a pattern fits only paths of its own length", () => {
  expect(matchPath("episodes", "episodes/x")).toBeNull();
  expect(matchPath("", "")).toEqual({});
});
