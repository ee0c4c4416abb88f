// What going somewhere does, decided here and nowhere else: whether Back undoes it, how far the page is
// scrolled, where the focus goes.

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Names in the address of what is opened beside a list. */
const OPENED = ["open", "sample"];

/** What a change of the place is: another page, another page of a list, something opened beside a list,
 * or another view of the same, such as a filter. */
export type Move = "page" | "turn" | "open" | "view";

export function moveOf(before: Place, next: Place): Move {
  if (before.path !== next.path) return "page";
  if (OPENED.some((name) => next.query.has(name) && !before.query.has(name))) return "open";
  return turns(before.query, next.query) ? "turn" : "view";
}

/** Whether nothing but the page of a list is another; what was opened on the page before may go. */
function turns(before: URLSearchParams, next: URLSearchParams): boolean {
  if (before.get("page") === next.get("page")) return false;
  const names = new Set([...before.keys(), ...next.keys()]);
  return [...names].every(
    (name) => name === "page" || before.get(name) === next.get(name) || (OPENED.includes(name) && !next.has(name)),
  );
}

/** Whether Back undoes it. */
export const isStep = (move: Move): boolean => move !== "view";

/** Whether it begins at the top. */
export const beginsAtTop = (move: Move): boolean => move === "page" || move === "turn";

const scroller = (): Element | null => document.querySelector("main");

export const scrolledTo = (): number => scroller()?.scrollTop ?? 0;

export function scrollToTop(): void {
  scroller()?.scrollTo(0, 0);
}

/** Scrolls to where a page was left, as soon as it is long enough again. */
export function restoreScroll(top: number): void {
  const main = scroller();
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

/** A focus that went with the page before goes to the one that opened, so that Tab begins there. */
export function catchFocus(): void {
  const main = document.getElementById("content");
  if (document.activeElement === null || document.activeElement === document.body) main?.focus({ preventScroll: true });
}
