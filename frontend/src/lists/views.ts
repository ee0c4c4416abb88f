// Views of the list that a person has named: filter, order and columns. A team keeps them in its database,
// where members may share them; without a team this browser does.

import { get, post } from "../api";
import type { Command, Source } from "../components/commands";
import { go } from "../router";
import { currentUser } from "../user";

export interface SavedView {
  readonly name: string;
  /** As in the address, without the page and what is opened. */
  readonly query: string;
  /** The member whose view it is; "" where this browser keeps it. */
  readonly owner: string;
  readonly shared: boolean;
}

const MOST_FOUND = 6;

export const hasTeam = (): boolean => currentUser.value?.team === true;

/** The views of the person who is signed in, and what their team shares, by their names. */
export async function listViews(): Promise<readonly SavedView[]> {
  if (!hasTeam()) return readKept();
  await handOver();
  return get("api/views");
}

/** A view of another name, or anew under the same. */
export async function saveView(name: string, query: URLSearchParams, shared: boolean): Promise<void> {
  const view = { name, query: viewQuery(query), shared };
  if (hasTeam()) await post("api/views/save", view);
  else keep([...readKept().filter((one) => one.name !== name), { ...view, owner: "" }]);
}

export async function deleteView(name: string): Promise<void> {
  if (hasTeam()) await post("api/views/delete", { name });
  else keep(readKept().filter((one) => one.name !== name));
}

/** What this browser kept for a member before goes to the team, unless they have one of that name there. */
async function handOver(): Promise<void> {
  const kept = readKept();
  if (kept.length === 0) return;
  const known = new Set((await get("api/views")).filter(({ owner }) => owner === currentUser.value?.name).map(({ name }) => name));
  for (const { name, query } of kept) if (!known.has(name)) await post("api/views/save", { name, query, shared: false });
  localStorage.removeItem(storageKey());
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
  return views.map(({ name, query }) => ({ name, query, owner: "", shared: false })).sort((one, other) => one.name.localeCompare(other.name));
}

export const viewsSource: Source = {
  title: "palette.views",
  find: async (words) => {
    const typed = words.toLowerCase();
    const found = (await listViews()).filter(({ name }) => name.toLowerCase().includes(typed));
    return found.slice(0, MOST_FOUND).map((view): Command => ({ label: view.name, detail: view.owner, run: () => openView(view) }));
  },
};

function isView(value: unknown): value is Pick<SavedView, "name" | "query"> {
  return typeof value === "object" && value !== null && "name" in value && typeof value.name === "string" && "query" in value && typeof value.query === "string";
}

function storageKey(): string {
  return `tapwright.views.${currentUser.value?.name ?? ""}`;
}

function readKept(): SavedView[] {
  return parseViews(localStorage.getItem(storageKey()));
}

function keep(views: readonly SavedView[]): void {
  localStorage.setItem(storageKey(), JSON.stringify(views));
}
