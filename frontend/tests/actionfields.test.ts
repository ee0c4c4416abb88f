import { expect, test } from "vitest";

import { changeKind } from "../src/editing/actionfields";

test("an action of another kind keeps its place", () => {
  const tap = { type: "tap", at: { x: 0.1, y: 0.9 }, button: "left" } as const;
  expect(changeKind(tap, "long_press")).toMatchObject({ type: "long_press", at: { x: 0.1, y: 0.9 } });
  expect(changeKind(tap, "swipe")).toMatchObject({ type: "swipe", start: { x: 0.1, y: 0.9 } });
  expect(changeKind(changeKind(tap, "swipe"), "tap")).toMatchObject({ at: { x: 0.1, y: 0.9 } });
});

test("an action of another kind keeps its words", () => {
  expect(changeKind({ type: "answer", text: "42" }, "type_text")).toMatchObject({ type: "type_text", text: "42" });
});
