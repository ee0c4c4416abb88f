import { afterEach, expect, test, vi } from "vitest";

import { findFollowing, startOf } from "../src/record/start";
import type { StateMessage } from "../src/generated/api";

function ended(what: Partial<StateMessage>): StateMessage {
  return { device: "phone", suite: "", assignment: null, task: { id: "", instruction: "Tap", apps: [] }, ...what } as StateMessage;
}

function answers(found: Record<string, unknown>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("location", { origin: "http://localhost", href: "http://localhost/" });
  vi.stubGlobal("document", { baseURI: "http://localhost/", querySelector: () => null });
  vi.stubGlobal("fetch", (address: string | URL) => {
    asked.push(String(address));
    return Promise.resolve(new Response(JSON.stringify(found), { status: 200, headers: { "content-type": "application/json" } }));
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

const task = { id: "wifi_off", instruction: "Turn off Wi-Fi", apps: [] };

test("a task is started again as the task, an instruction as its words", () => {
  expect(startOf(ended({ suite: "phone", task, assignment: 4 }))).toEqual({ device: "phone", suite: "phone", task: "wifi_off", assignment: 4 });
  expect(startOf(ended({}))).toEqual({ device: "phone", instruction: "Tap" });
});

test("after a task outside a queue comes the next of its suite that is not recorded", async () => {
  const asked = answers({ next: { id: "dark_mode", instruction: "Dark", apps: [], language: "en", max_steps: 5 } });
  const found = await findFollowing(startOf(ended({ suite: "phone", task })));
  expect(found).toEqual({ start: { device: "phone", suite: "phone", task: "dark_mode" }, words: "Dark" });
  expect(asked[0]).toContain("after=wifi_off");
});

test("after the last task and an empty queue nothing comes; an instruction may be repeated", async () => {
  answers({ next: null, item: null });
  expect(await findFollowing(startOf(ended({ suite: "phone", task })))).toBe("done");
  expect(await findFollowing(startOf(ended({ suite: "phone", task, assignment: 4 })))).toBe("done");
  expect(await findFollowing(startOf(ended({})))).toBe("own");
});

test("after an item of the queue comes the next one, which is not leased before it is begun", async () => {
  const asked = answers({ item: { item: 5, suite: "phone", task: "alarm", instruction: "Set an alarm" } });
  const found = await findFollowing(startOf(ended({ suite: "phone", task, assignment: 4 })));
  expect(found).toEqual({ start: { device: "phone", suite: "phone", task: "alarm", assignment: 5 }, words: "Set an alarm" });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("queue/next");
});
