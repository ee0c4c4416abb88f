import { expect, test } from "vitest";

import { matching, stepped, type Command } from "../src/components/commands";

const commands = ["Next", "Undo", "Episodes", "Previous episode"].map((label): Command => ({ label, run: () => undefined }));
const labels = (typed: string): string[] => matching(commands, typed).map(({ label }) => label);

test("all typed words are found, in any order and case", () => {
  expect(labels("EPISODE prev")).toEqual(["Previous episode"]);
  expect(labels("nothing")).toEqual([]);
});

test("labels that begin with the first word come first", () => {
  expect(labels("e")).toEqual(["Episodes", "Next", "Previous episode"]);
});

test("without words all commands are there, in their order", () => {
  expect(labels(" ")).toEqual(["Next", "Undo", "Episodes", "Previous episode"]);
});

test("a detail is searched, too", () => {
  expect(matching([{ label: "Turn off Wi-Fi", detail: "phone · wifi_off", run: () => undefined }], "wifi_off")).toHaveLength(1);
});

test("the arrow keys go round", () => {
  expect([stepped(0, -1, 3), stepped(2, 1, 3), stepped(0, 1, 0)]).toEqual([2, 0, 0]);
});
