import { describe, expect, test } from "vitest";

import { proposedOutcome, requiredReason } from "../src/record/finish";
import type { JudgeView } from "../src/generated/api";
import { isReached } from "../src/record/protocol";

const judge = (more: Partial<JudgeView>): JudgeView => ({
  score: 0,
  reward: 0,
  total: 0,
  success: false,
  ended: false,
  instructions: [],
  wrong: "",
  ...more,
});

describe("the goal", () => {
  test("is reached by the check's success or its full score", () => {
    expect(isReached(judge({ success: true }))).toBe(true);
    expect(isReached(judge({ score: 1 }))).toBe(true);
    expect(isReached(judge({ score: 0.99 }))).toBe(false);
  });

  test("is not reached without a check, or by one that cannot judge", () => {
    expect(isReached(null)).toBe(false);
    expect(isReached(judge({ success: true, wrong: "no tree" }))).toBe(false);
  });
});

describe("a reason", () => {
  test("is wanted for every end without success", () => {
    expect(requiredReason("failure", judge({ success: true }))).not.toBeNull();
    expect(requiredReason("infeasible", null)).not.toBeNull();
  });

  test("is wanted for a success that the check does not see, and for no other", () => {
    expect(requiredReason("success", judge({}))).not.toBeNull();
    expect(requiredReason("success", judge({ score: 1 }))).toBeNull();
    expect(requiredReason("success", null)).toBeNull();
  });
});

test("success is proposed of a device that was brought back, not of one that was interrupted", () => {
  expect(proposedOutcome(judge({}), false)).toBe("success");
  expect(proposedOutcome(judge({}), true)).toBe("failure");
  expect(proposedOutcome(null, true)).toBe("failure");
  expect(proposedOutcome(judge({ success: true }), true)).toBe("success");
});
