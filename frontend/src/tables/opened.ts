// What is opened beside a list: opening it is a step that Back undoes, going on to the next is none;
// closed, its row has the focus.

import { useEffect, useRef } from "preact/hooks";

import type { Query } from "../router";

/** `param` holds the opened key in the address; an element with `attribute` and the key opens it. */
export function useOpened(param: string, attribute: string, opened: string | null, place: (values: Query) => void): {
  readonly open: (key: string) => void;
  readonly close: () => void;
} {
  const pushed = useRef(false);
  const last = useRef<string | null>(null);
  useEffect(() => {
    if (opened === null && last.current !== null) {
      pushed.current = false;
      document.querySelector<HTMLElement>(`[${attribute}="${CSS.escape(last.current)}"]`)?.focus();
    }
    last.current = opened;
  }, [opened, attribute]);
  return {
    open: (key) => {
      if (opened === null) pushed.current = true;
      place({ [param]: key });
    },
    close: () => {
      if (pushed.current) history.back();
      else place({ [param]: undefined });
    },
  };
}
