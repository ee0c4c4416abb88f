// The router: the current page is in the address, in the path below <base>, or behind "#" where there is
// no server. An id may hold blanks, "/" and any script: it is one percent-encoded segment.

import { computed, signal } from "@preact/signals";

export type Params = Readonly<Record<string, string>>;
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

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

/** Opens a place; with `replace` the Back button does not come here again. */
export function go(parts: readonly string[], query: Query = {}, { replace = false } = {}): void {
  const address = href(parts, query);
  const next = parsePlace(makePlace(parts, query));
  if (replace) history.replaceState(history.state, "", address);
  else push(address, next.path !== current.value.path);
  current.value = next;
}

/** A new entry of the history; the one before keeps how far its page was scrolled. */
function push(address: string, opensPage: boolean): void {
  const main = document.querySelector("main");
  history.replaceState({ top: main?.scrollTop ?? 0 }, "");
  history.pushState(null, "", address);
  if (opensPage) main?.scrollTo(0, 0);
}

/** Scrolls back to where a page was left, as soon as it is long enough again. */
function restoreScroll(state: unknown): void {
  const main = document.querySelector("main");
  const top = typeof state === "object" && state !== null && "top" in state ? Number(state.top) : 0;
  if (!main || !(top > 0)) return;
  const watcher = new MutationObserver(() => scroll());
  const stop = (): void => {
    watcher.disconnect();
    for (const kind of ["wheel", "pointerdown", "keydown", "popstate"]) removeEventListener(kind, stop);
  };
  const scroll = (): void => {
    main.scrollTop = top;
    if (Math.abs(main.scrollTop - top) < 2) stop();
  };
  watcher.observe(main, { childList: true, subtree: true });
  for (const kind of ["wheel", "pointerdown", "keydown", "popstate"]) addEventListener(kind, stop);
  scroll();
}

/** Reads the address, and follows it from now on. */
export function startRouter(options: { hash: boolean }): void {
  hashed = options.hash;
  current.value = read();
  addEventListener("popstate", (event) => {
    current.value = read();
    requestAnimationFrame(() => restoreScroll(event.state));
  });
  addEventListener("hashchange", () => (current.value = read()));
  document.addEventListener("click", followLink);
}

function read(): Place {
  if (hashed) return parsePlace(location.hash.replace(/^#\/?/, ""));
  const base = new URL(".", document.baseURI).pathname;
  const path = location.pathname.startsWith(base) ? location.pathname.slice(base.length) : "";
  return parsePlace(path + location.search);
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
  const changes = link.href !== location.href;
  if (changes) push(link.href, link.pathname !== location.pathname);
  current.value = read();
}
