// A search field of a list: it asks when no letter came for a moment.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { t } from "../i18n";

const TYPED_MS = 150;

/** Another place's words replace those that are typed. */
export function Search({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }): JSX.Element {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (words: string): void => {
    setTyped(words);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onText(words), TYPED_MS);
  };
  return (
    <label class="field wide">
      <span>{t("filter.text")}</span>
      <input type="search" value={typed} onInput={(event) => type(event.currentTarget.value)} />
    </label>
  );
}
