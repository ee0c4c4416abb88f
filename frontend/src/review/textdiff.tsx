// A diff of two texts, word by word; Chinese, which has no blanks, character by character.

import type { JSX } from "preact";

export interface Piece {
  readonly sign: "-" | "+" | " ";
  readonly text: string;
}

const MOST = 2000;

/** The pieces of `old` and `next` in order: gone, new, or as it was. */
export function diffWords(old: string, next: string): Piece[] {
  const before = describeError(old);
  const after = describeError(next);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const pieces: Piece[] = [];
  push(pieces, " ", before.slice(0, start));
  middle(pieces, before.slice(start, before.length - end), after.slice(start, after.length - end));
  push(pieces, " ", before.slice(before.length - end));
  return gathered(pieces);
}

/** Changes that only blanks part as one: what goes, then what comes. */
function gathered(pieces: readonly Piece[]): Piece[] {
  const made: Piece[] = [];
  let gone = "";
  let fresh = "";
  const flush = (): void => {
    if (gone) made.push({ sign: "-", text: gone });
    if (fresh) made.push({ sign: "+", text: fresh });
    gone = fresh = "";
  };
  for (const [index, { sign, text }] of pieces.entries()) {
    if (sign === "-") gone += text;
    else if (sign === "+") fresh += text;
    else if (text.trim() === "" && gone && fresh && index + 1 < pieces.length) {
      gone += text;
      fresh += text;
    } else {
      flush();
      made.push({ sign, text });
    }
  }
  flush();
  return made;
}

function describeError(text: string): string[] {
  return text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+|\s+|./gsu) ?? [];
}

/** The longest common subsequence of what is left between the equal ends. */
function middle(pieces: Piece[], old: readonly string[], next: readonly string[]): void {
  if (old.length > MOST || next.length > MOST) {
    push(pieces, "-", old);
    push(pieces, "+", next);
    return;
  }
  const width = next.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = next.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === next[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  let i = 0;
  let j = 0;
  while (i < old.length || j < next.length) {
    const same = i < old.length && j < next.length && old[i] === next[j];
    const drop = (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
    if (same) {
      push(pieces, " ", [old[i++] ?? ""]);
      j++;
    } else if (i < old.length && (j === next.length || drop)) push(pieces, "-", [old[i++] ?? ""]);
    else push(pieces, "+", [next[j++] ?? ""]);
  }
}

function push(pieces: Piece[], sign: Piece["sign"], words: readonly string[]): void {
  if (words.length === 0) return;
  const last = pieces.at(-1);
  const text = words.join("");
  if (last?.sign === sign) pieces[pieces.length - 1] = { sign, text: last.text + text };
  else pieces.push({ sign, text });
}

export function TextDiff({ old, next }: { readonly old: string; readonly next: string }): JSX.Element {
  return (
    <p class="worddiff">
      {diffWords(old, next).map(({ sign, text }, index) => (
        sign === "-" ? <del key={index}>{text}</del> : sign === "+" ? <ins key={index}>{text}</ins> : <span key={index}>{text}</span>
      ))}
    </p>
  );
}
