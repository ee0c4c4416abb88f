import { expect, test } from "vitest";

import { formatAge } from "../src/team/age";

test("an age is given in the largest unit that fits, rounded down", () => {
  expect([0.4, 59, 60, 3599, 3600, 86_399, 200_000].map(formatAge)).toEqual(["0 sec", "59 sec", "1 min", "59 min", "1 hr", "23 hr", "2 days"]);
});
