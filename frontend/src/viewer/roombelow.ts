// How much stands above the pictures of a page, so that they end within the window.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Tells the pictures of a box how much stands above it, also when that changes, such as a filter that is folded. */
export function useRoomBelow(): { readonly current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => measureAbove(box.current));
  useEffect(() => {
    const page = box.current?.parentElement;
    if (!page) return;
    const observer = new ResizeObserver(() => measureAbove(box.current));
    observer.observe(page);
    return () => observer.disconnect();
  }, []);
  return box;
}

function measureAbove(box: HTMLDivElement | null): void {
  const main = box?.closest("main");
  if (!box || !main) return;
  box.style.setProperty("--above", `${Math.round(box.getBoundingClientRect().top + main.scrollTop)}px`);
}
