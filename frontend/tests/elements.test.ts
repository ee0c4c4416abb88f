import { expect, test } from "vitest";

import type { TreeNodeView } from "../src/generated/api";
import { findElement } from "../src/record/elements";

const element = (label: string, box: TreeNodeView["box"], clickable = true): TreeNodeView => ({ label, box, clickable, role: "button", id: label });

const screen = [
  element("page", [0, 0, 1, 1], false),
  element("row", [0, 0.2, 1, 0.3]),
  element("switch", [0.8, 0.21, 0.95, 0.29]),
  element("label", [0.1, 0.22, 0.4, 0.28], false),
];

test("the smallest thing to tap is what lies under the pointer", () => {
  expect(findElement(screen, { x: 0.9, y: 0.25 })?.label).toBe("switch");
  expect(findElement(screen, { x: 0.2, y: 0.25 })?.label).toBe("row"); // a label takes no tap
});

test("where nothing can be tapped, the smallest thing with a name", () => {
  expect(findElement(screen, { x: 0.5, y: 0.6 })?.label).toBe("page");
  expect(findElement([element("", [0, 0, 1, 1], false)], { x: 0.5, y: 0.5 })).toBeNull();
});

test("the left and top edges belong to an element, the right and bottom ones to the next", () => {
  expect(findElement([element("a", [0, 0, 0.5, 1])], { x: 0.5, y: 0 })).toBeNull();
  expect(findElement([element("a", [0, 0, 0.5, 1])], { x: 0, y: 0 })?.label).toBe("a");
});
