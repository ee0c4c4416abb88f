// The router: the current page is in the address, in the path below <base>, or behind "#" where there is
// no server. An id may hold blanks, "/" and any script: it is one percent-encoded segment.

import { computed, signal } from "@preact/signals";

import { beginsAtTop, isStep, moveOf, restoreScroll, scrolledTo, scrollToTop, type Place } from "./navigation";

export type Params = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

let hashed = false;
const current = signal<Place>({ path: "", query: new URLSearchParams() });

export const place = computed(() => current.value);

/** "episodes/a%2Fb?step=3" as a place. */
export function parsePlace(text: string): Place {
  const [path = "", query = ""] = text.replace(/^\/+/, "").split("?", 2);
  return { path: path.replace(/\/+$/, ""), query: new URLSearchParams(query) };
}

/** The parameters of `path` under a pattern such as "episodes/:id", or null where it does not fit. */
export function matchPath(pattern: string, path: string): Params | null {
  const names = pattern.split("/");
  const parts = path.split("/");
  if (names.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] ?? "";
    if (!name.startsWith(":")) {
      if (name !== part) return null;
      continue;
    }
    try {
      params[name.slice(1)] = decodeURIComponent(part);
    } catch {
      return null; // "%zz" is no place of ours
    }
  }
  return params;
}

/** A place as text: parts become segments, each percent-encoded, undefined query values go away. */
export function makePlace(parts: readonly string[], query: Query = {}): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) values.set(name, String(value));
  const tail = values.toString();
  return parts.map(encodeURIComponent).join("/") + (tail ? `?${tail}` : "");
}

/** The address of a place, for a link. */
export function href(parts: readonly string[], query: Query = {}): string {
  const text = makePlace(parts, query);
  return hashed ? `#/${text}` : new URL(text === "" ? "." : `./${text}`, document.baseURI).pathname + tailOf(text);
}

function tailOf(text: string): string {
  const at = text.indexOf("?");
  return at < 0 ? "" : text.slice(at);
}

/** Where Back leads from what is opened: by default what `navigation.ts` says of the move, "step" to the
 * place that is left, "instead" to what was before it. */
type Back = "step" | "instead";

export function go(parts: readonly string[], query: Query = {}, back?: Back): void {
  open(href(parts, query), parsePlace(makePlace(parts, query)), back);
}

function open(address: string, next: Place, back: Back | undefined): void {
  const move = moveOf(current.peek(), next);
  if (back === "instead" || (back !== "step" && !isStep(move))) history.replaceState(history.state, "", address);
  else {
    history.replaceState({ top: scrolledTo() }, ""); // for who comes back
    history.pushState(null, "", address);
  }
  if (beginsAtTop(move)) scrollToTop();
  current.value = next;
}

/** Reads the address, and follows it from now on. */
export function startRouter(options: { hash: boolean }): void {
  hashed = options.hash;
  current.value = read();
  addEventListener("popstate", (event) => {
    current.value = read();
    requestAnimationFrame(() => restoreScroll(leftAt(event.state)));
  });
  addEventListener("hashchange", () => (current.value = read()));
  document.addEventListener("click", followLink);
}

function leftAt(state: unknown): number {
  return typeof state === "object" && state !== null && "top" in state ? Number(state.top) : 0;
}

function read(): Place {
  return hashed ? parsePlace(location.hash.replace(/^#\/?/, "")) : placeOf(location);
}

function placeOf({ pathname, search }: Pick<URL, "pathname" | "search">): Place {
  const base = new URL(".", document.baseURI).pathname;
  return parsePlace((pathname.startsWith(base) ? pathname.slice(base.length) : "") + search);
}

function followLink(event: MouseEvent): void {
  if (hashed || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  const base = new URL(".", document.baseURI);
  if (link.origin !== base.origin || !link.pathname.startsWith(base.pathname)) return;
  if (link.pathname.slice(base.pathname.length).startsWith("api/")) return;
  event.preventDefault();
  open(link.href, placeOf(link), link.href === location.href ? undefined : "step");
}
