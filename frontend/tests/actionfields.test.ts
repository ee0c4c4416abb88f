import { expect, test } from "vitest";

import { changeKind, readPath } from "../src/editing/actionfields";

test("an action of another kind keeps its place", () => {
  const tap = { type: "tap", at: { x: 0.1, y: 0.9 }, button: "left" } as const;
  expect(changeKind(tap, "long_press")).toMatchObject({ type: "long_press", at: { x: 0.1, y: 0.9 } });
  expect(changeKind(tap, "swipe")).toMatchObject({ type: "swipe", start: { x: 0.1, y: 0.9 } });
  expect(changeKind(changeKind(tap, "swipe"), "tap")).toMatchObject({ at: { x: 0.1, y: 0.9 } });
});

test("an action of another kind keeps its words", () => {
  expect(changeKind({ type: "answer", text: "42" }, "type_text")).toMatchObject({ type: "type_text", text: "42" });
});

test("the key of a phone is not kept as one of a keyboard", () => {
  expect(changeKind({ type: "press_key", key: "back" }, "key_down")).toMatchObject({ type: "key_down", key: "shift" });
  expect(changeKind({ type: "key_down", key: "alt" }, "key_up")).toMatchObject({ type: "key_up", key: "alt" });
});

test("a path is read place by place, and only as a whole", () => {
  expect(readPath("0.1 0.2; 0.3,0.4;")).toEqual([{ x: 0.1, y: 0.2 }, { x: 0.3, y: 0.4 }]);
  expect(readPath("")).toEqual([]);
  for (const bad of ["0.1", "0.1 0.2 0.3", "0.1 1.2", "a b"]) expect(readPath(bad)).toBeNull();
});
