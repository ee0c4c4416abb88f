// The signed-in user and their roles; without a team every user is the local one.

import { signal } from "@preact/signals";

import { get, post, setSignedOutHandler } from "./api";
import type { UserView } from "./generated/api";
import { go, makePlace, parsePlace, place } from "./router";

export type Role = UserView["roles"][number];
export const ROLES: readonly Role[] = ["annotator", "reviewer", "admin"];

export const currentUser = signal<UserView | null>(null);

/** Loads the user, now and whenever the server answers that nobody has signed in; redirects to the login page. */
export function watchUser(): void {
  setSignedOutHandler(() => {
    if (currentUser.value?.name) currentUser.value = { ...currentUser.value, name: null, roles: [] };
    toLogin();
  });
  void loadUser().catch(() => undefined); // the page itself reports that the server does not respond
}

async function loadUser(): Promise<void> {
  const user = await get("api/me");
  currentUser.value = user;
  if (user.requires_login && user.name === null) toLogin();
}

function toLogin(): void {
  const { path, query } = place.peek();
  if (path === "login") return;
  const tail = query.toString();
  go(["login"], { to: path + (tail ? `?${tail}` : "") || undefined }, "instead");
}

/** Signs in, and opens the requested place, which is always one below <base>. */
export async function signIn(token: string, to: string): Promise<void> {
  await post("api/login", { token });
  await loadUser();
  const target = parsePlace(to);
  const parts = target.path.split("/").filter((part) => part !== "");
  go(parts.map(decoded), Object.fromEntries(target.query), "instead");
}

export async function signOut(): Promise<void> {
  await post("api/logout", {});
  await loadUser();
}

export function hasRole(role: Role): boolean {
  return currentUser.value?.roles.includes(role) ?? false;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return makePlace([part]);
  }
}
