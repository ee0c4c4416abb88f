// Every shortcut of the app goes through this table. A shortcut never fires while the user types: in
// a field, a list, an editable text, or while an input method composes; nor behind an open dialog.

import { createContext } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";

export interface Shortcut {
  /** As shown to the user and announced by screen readers: "U", "Shift+U", "Enter", "1", "?". */
  readonly keys: string;
  /** What it does, for the list of keys and the command palette. */
  readonly label: string;
  readonly run: () => void;
}

/** A shortcut as it is printed on a key. */
export function keySign(keys: string): string {
  return keys.replace("Shift+", "⇧").replace("Enter", "⏎").replace("ArrowLeft", "←").replace("ArrowRight", "→").replace("ArrowUp", "↑").replace("ArrowDown", "↓");
}

/** What the table looks at in a key event. */
export interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
  readonly repeat: boolean;
}

/** Whether an input method has the key. */
export function composes(event: Pick<Pressed, "isComposing" | "keyCode">): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** The one shortcut with Control or Command; it fires in fields, too, as it types nothing there. */
export const PALETTE = "Ctrl+K";

function opensPalette(event: Pressed): boolean {
  return event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
}

/** The name of a pressed key as shortcuts are written, or null where no shortcut may fire. */
export function nameOf(event: Pressed): string | null {
  if (composes(event)) return null;
  if (opensPalette(event)) return PALETTE;
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const letter = event.key.length === 1 && event.key.toLowerCase() !== event.key.toUpperCase();
  if (letter) return (event.shiftKey ? "Shift+" : "") + event.key.toUpperCase();
  if (event.key.length === 1) return event.key; // "?" is "?" wherever its key lies
  return (event.shiftKey ? "Shift+" : "") + event.key;
}

interface Entry {
  readonly layer: number;
  readonly shortcut: { readonly current: Shortcut };
}

/** The layer of the page itself; each dialog has one of its own. */
const PAGE = 0;

/** Shortcuts by layer: only those of the topmost layer (the open dialog) fire, the newest first. */
export class Table {
  private entries: Entry[] = [];
  private open: number[] = [PAGE];
  private counted = PAGE;

  newLayer(): number {
    return ++this.counted;
  }

  /** Puts a layer on top until what it returns is called. */
  openLayer(layer: number): () => void {
    this.open.push(layer);
    return () => (this.open = this.open.filter((one) => one !== layer));
  }

  add(shortcut: { readonly current: Shortcut }, layer: number): () => void {
    const entry = { layer, shortcut };
    this.entries.push(entry);
    return () => (this.entries = this.entries.filter((one) => one !== entry));
  }

  /** The shortcuts that fire now, in the order in which they were bound. */
  list(): Shortcut[] {
    const top = this.open.at(-1) ?? PAGE;
    const found = this.entries.filter(({ layer }) => layer === top).map(({ shortcut }) => shortcut.current);
    return found.filter((one) => this.find(one.keys) === one);
  }

  find(name: string): Shortcut | undefined {
    const top = this.open.at(-1) ?? PAGE;
    return this.entries.findLast((one) => one.layer === top && one.shortcut.current.keys === name)?.shortcut.current;
  }
}

const table = new Table();

/** The layer that a component's shortcuts belong to, whenever they are bound. */
export const Layer = createContext(PAGE);
export const listShortcuts = (): Shortcut[] => table.list();
export const newLayer = (): number => table.newLayer();
export const openLayer = (layer: number): (() => void) => table.openLayer(layer);

/** Whether something is, or may be being, put into what has the focus. */
export function writes(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.closest("input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox]") !== null;
}

/** Whether a key is for what has the focus: all where one writes, Enter and Space where they press, arrows where they choose. */
export function takes(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  const presses = key === "Enter" || key === " ";
  if (target.closest("input[type=radio], input[type=checkbox]")) return presses || key.startsWith("Arrow");
  return writes(target) || (presses && target.closest("button, a[href], summary") !== null);
}

/** Listens for shortcuts; once per page. */
export function startKeys(): void {
  addEventListener("keydown", (event) => {
    const name = nameOf(event);
    if (event.defaultPrevented || (takes(event.target, event.key) && name !== PALETTE)) return;
    const shortcut = name === null ? undefined : table.find(name);
    if (!shortcut) return;
    event.preventDefault();
    if (!event.repeat || name?.startsWith("Arrow") || name === "J" || name === "K") shortcut.run();
  });
}

/** Binds a shortcut from when the component is shown until it goes; without keys nothing is bound. */
export function useShortcut(keys: string | undefined, label: string, run: () => void, enabled = true): void {
  const latest = useRef<Shortcut>({ keys: keys ?? "", label, run });
  latest.current = { keys: keys ?? "", label, run };
  const bound = keys !== undefined && enabled;
  const layer = useContext(Layer);
  useLayoutEffect(() => (bound ? table.add(latest, layer) : undefined), [bound, layer]);
}
