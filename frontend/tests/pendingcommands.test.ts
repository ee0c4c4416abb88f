import { expect, test } from "vitest";

import { backoffMs } from "../src/record/link";
import { Pending, type Kept } from "../src/record/pendingcommands";
import type { Command } from "../src/record/protocol";

function storage(): Kept & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}

const undo = (key: string): Command => ({ t: "undo", key });

test("what has no answer outlives a reload, in its order and with its key", () => {
  const kept = storage();
  const before = new Pending(kept, "s");
  for (const key of ["a", "b", "c"]) before.add(undo(key));
  before.settle("b");
  expect(new Pending(kept, "s").all()).toEqual([undo("a"), undo("c")]);
});

test("sessions do not see each other's messages", () => {
  const kept = storage();
  new Pending(kept, "one").add(undo("a"));
  expect(new Pending(kept, "two").count).toBe(0);
});

test("an answer that comes twice, or for nobody, changes nothing", () => {
  const kept = storage();
  const pending = new Pending(kept, "s");
  pending.add(undo("a"));
  pending.settle("x");
  expect(pending.count).toBe(1);
  pending.settle("a");
  pending.settle("a");
  expect(pending.count).toBe(0);
  expect(kept.values.size).toBe(0);
});

test.each(["", "nonsense", "3", '{"key": "a"}', "[null, 3, {}]"])("what another wrote under the name (%s) is passed over", (text) => {
  const kept = storage();
  kept.setItem("s", text);
  expect(new Pending(kept, "s").all()).toEqual([]);
});

test("a lost socket is tried again soon at first, then ever slower, never slower than 3 s", () => {
  const waits = Array.from({ length: 12 }, (_, tries) => backoffMs(tries));
  expect(waits[0]).toBe(100);
  expect(waits.every((wait, index) => wait >= (waits[index - 1] ?? 0))).toBe(true);
  expect(Math.max(...waits)).toBe(3000);
});
