// How much stands above the pictures of a page, so that they end within the window.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Tells the pictures of a box how much stands above them, also when that changes, such as a filter that is
 * folded; and brings them into view when `shown` is another. */
export function useRoomBelow(shown: unknown = null): { readonly current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => measureAbove(box.current));
  useEffect(() => {
    const page = box.current?.parentElement;
    if (!page) return;
    const observer = new ResizeObserver(() => measureAbove(box.current));
    observer.observe(page);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown is another
  useLayoutEffect(() => picturesOf(box.current)?.scrollIntoView({ block: "nearest" }), [shown]);
  return box;
}

function measureAbove(box: HTMLDivElement | null): void {
  const main = box?.closest("main");
  if (!box || !main) return;
  const pictures = picturesOf(box) ?? box;
  box.style.setProperty("--above", `${Math.round(pictures.getBoundingClientRect().top + main.scrollTop)}px`);
}

function picturesOf(box: HTMLDivElement | null): HTMLElement | null {
  return box?.querySelector("figure") ?? null;
}
