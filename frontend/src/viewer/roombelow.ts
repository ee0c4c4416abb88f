// How much stands above the pictures of a page, so that they end within the window.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Tells the pictures of a box how much stands above them, and how high what is judged is, also when that changes,
 * such as a filter that is folded; and brings the first one into view when `shown` is another. */
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
  useLayoutEffect(() => {
    if (shown !== null) box.current?.querySelector("figure .shot")?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  return box;
}

function measureAbove(box: HTMLDivElement | null): void {
  const main = box?.closest("main");
  if (!box || !main) return;
  const pictures = box.querySelector("figure") ?? box;
  const verdict = box.querySelector(".verdict");
  main.style.setProperty("--verdict", `${Math.round(verdict?.getBoundingClientRect().height ?? 60)}px`);
  box.style.setProperty("--above", `${Math.round(pictures.getBoundingClientRect().top + main.scrollTop)}px`);
}
