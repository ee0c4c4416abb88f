// Who is here, and as what they may act; without a team everybody is the one who sits at the machine.

import { signal } from "@preact/signals";

import { get, post, setSignedOutHandler } from "../api";
import type { UserView } from "../generated/api";
import { go, makePlace, parsePlace, place } from "../router";

export type Role = UserView["roles"][number];
export const ROLES: readonly Role[] = ["annotator", "reviewer", "admin"];

export const me = signal<UserView | null>(null);

/** Asks who is here, now and whenever the server says that nobody is; who must sign in is sent there. */
export function startMe(): void {
  setSignedOutHandler(() => {
    if (me.value?.name) me.value = { ...me.value, name: null, roles: [] };
    toLogin();
  });
  void askMe().catch(() => undefined); // the page itself says that the server does not answer
}

async function askMe(): Promise<void> {
  const told = await get("api/me");
  me.value = told;
  if (told.requires_login && told.name === null) toLogin();
}

function toLogin(): void {
  const { path, query } = place.peek();
  if (path === "login") return;
  const tail = query.toString();
  go(["login"], { to: path + (tail ? `?${tail}` : "") || undefined }, { replace: true });
}

/** Signs in, and opens the place that one wanted to see; it lies below ours whatever it says. */
export async function signIn(token: string, to: string): Promise<void> {
  await post("api/login", { token });
  await askMe();
  const wanted = parsePlace(to);
  const parts = wanted.path.split("/").filter((part) => part !== "");
  go(parts.map(decoded), Object.fromEntries(wanted.query), { replace: true });
}

export async function signOut(): Promise<void> {
  await post("api/logout", {});
  await askMe();
}

export function may(role: Role): boolean {
  return me.value?.roles.includes(role) ?? false;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return makePlace([part]);
  }
}
