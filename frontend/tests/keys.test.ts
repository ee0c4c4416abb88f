import { describe, expect, test } from "vitest";

import { nameOf, PALETTE, Table, type Pressed, type Shortcut } from "../src/components/keys";

const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 0,
  repeat: false,
  ...more,
});

describe("the name of a pressed key", () => {
  test.each([
    [press("u"), "U"],
    [press("U"), "U"], // caps lock
    [press("U", { shiftKey: true }), "Shift+U"],
    [press("?", { shiftKey: true }), "?"],
    [press("1"), "1"],
    [press("Enter"), "Enter"],
    [press("ArrowLeft", { shiftKey: true }), "Shift+ArrowLeft"],
  ])("%o is %s", (event, name) => {
    expect(nameOf(event)).toBe(name);
  });

  test("with Control, Alt or Meta, which are the browser's, is none", () => {
    for (const held of ["ctrlKey", "altKey", "metaKey"] as const) expect(nameOf(press("u", { [held]: true }))).toBeNull();
  });

  test("with Control or Command is the palette's for K alone", () => {
    for (const held of ["ctrlKey", "metaKey"] as const) expect(nameOf(press("k", { [held]: true }))).toBe(PALETTE);
    expect(nameOf(press("K", { ctrlKey: true, shiftKey: true }))).toBeNull();
    expect(nameOf(press("k", { altKey: true }))).toBeNull();
  });

  test("is none while an input method composes", () => {
    expect(nameOf(press("u", { isComposing: true }))).toBeNull();
    expect(nameOf(press("Process", { keyCode: 229 }))).toBeNull();
  });
});

describe("the table", () => {
  const shortcut = (keys: string): { current: Shortcut } => ({ current: { keys, label: keys, run: () => undefined } });

  test("finds the newest of a key, and the older one again when that is gone", () => {
    const table = new Table();
    const [older, newer] = [shortcut("U"), shortcut("U")];
    table.add(older, 0);
    const remove = table.add(newer, 0);
    expect(table.find("U")).toBe(newer.current);
    remove();
    expect(table.find("U")).toBe(older.current);
  });

  test("finds nothing of the page behind a dialog, and all of it after", () => {
    const table = new Table();
    const page = shortcut("U");
    table.add(page, 0);
    const layer = table.newLayer();
    const own = shortcut("S");
    table.add(own, layer); // what a dialog holds is bound before the dialog itself is open
    const close = table.openLayer(layer);
    expect(table.find("U")).toBeUndefined();
    expect(table.find("S")).toBe(own.current);
    const late = shortcut("R");
    table.add(late, 0); // a control of the page that came to be of use behind the dialog
    expect(table.find("R")).toBeUndefined();
    close();
    expect(table.find("U")).toBe(page.current);
    expect(table.find("R")).toBe(late.current);
    expect(table.find("S")).toBeUndefined();
  });

  test("lists what fires now, each key once", () => {
    const table = new Table();
    const [older, newer, other] = [shortcut("U"), shortcut("U"), shortcut("S")];
    for (const one of [older, newer, other]) table.add(one, 0);
    expect(table.list()).toEqual([newer.current, other.current]);
    table.openLayer(table.newLayer());
    expect(table.list()).toEqual([]);
  });
});
