// Views of the list that a person has named: filter, order and columns, kept in this browser.

import { signal } from "@preact/signals";

import type { Command, Source } from "../components/commands";
import { go } from "../router";
import { currentUser } from "../user";

export interface SavedView {
  readonly name: string;
  /** As in the address, without the page and what is opened. */
  readonly query: string;
}

const MOST_FOUND = 6;
const changes = signal(0);

/** The views of the person who is signed in, by their names. */
export function listViews(): readonly SavedView[] {
  changes.value; // read, so that a page follows
  return parseViews(localStorage.getItem(storageKey()));
}

/** A view of another name, or anew under the same. */
export function saveView(name: string, query: URLSearchParams): void {
  write([...listViews().filter((one) => one.name !== name), { name, query: viewQuery(query) }]);
}

export function deleteView(name: string): void {
  write(listViews().filter((one) => one.name !== name));
}

export function openView({ query }: SavedView): void {
  go(["episodes"], Object.fromEntries(new URLSearchParams(query)), "step");
}

/** What of an address makes a view. */
export function viewQuery(query: URLSearchParams): string {
  const kept = [...query].filter(([name]) => name !== "page" && name !== "open");
  return new URLSearchParams(kept).toString();
}

/** The views in a text of the browser's storage; of a broken one there are none. */
export function parseViews(text: string | null): SavedView[] {
  let found: unknown;
  try {
    found = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  const views = Array.isArray(found) ? found.filter(isView) : [];
  return views.sort((one, other) => one.name.localeCompare(other.name));
}

export const viewsSource: Source = {
  title: "palette.views",
  find: async (words) => {
    const typed = words.toLowerCase();
    const found = listViews().filter(({ name }) => name.toLowerCase().includes(typed));
    return found.slice(0, MOST_FOUND).map((view): Command => ({ label: view.name, run: () => openView(view) }));
  },
};

function isView(value: unknown): value is SavedView {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string" && "query" in value && typeof value.query === "string";
}

function storageKey(): string {
  return `tapwright.views.${currentUser.value?.name ?? ""}`;
}

function write(views: readonly SavedView[]): void {
  localStorage.setItem(storageKey(), JSON.stringify(views));
  changes.value++;
}
