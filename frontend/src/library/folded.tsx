// A text of any length within a page: a long one is cut until one asks for all of it.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { t } from "../i18n";

const FOLDED_LENGTH = 200;

export function Folded({ text }: { readonly text: string }): JSX.Element {
  const [whole, setWhole] = useState(false);
  if (text.length <= FOLDED_LENGTH) return <>{text}</>;
  return (
    <>
      {whole ? text : shorten(text)}{" "}
      <button type="button" class="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
        {whole ? t("steps.less") : t("steps.more", { n: text.length })}
      </button>
    </>
  );
}

/** The beginning of a long text, for a label. */
export function shorten(text: string): string {
  return text.length <= FOLDED_LENGTH ? text : `${text.slice(0, FOLDED_LENGTH)} …`;
}
