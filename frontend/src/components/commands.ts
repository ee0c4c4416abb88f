// What the command palette finds: commands of the app and of the open page, and what sources find for
// the typed words, such as episodes.

import type { Word } from "../i18n";

export interface Command {
  readonly label: string;
  /** What tells it from others of the same label. */
  readonly detail?: string;
  readonly keys?: string;
  readonly run: () => void;
}

/** A group of the palette; `find` gets the typed words, and answers at most a handful. */
export interface Source {
  readonly title: Word;
  readonly find: (words: string) => Promise<readonly Command[]>;
}

export interface Group {
  readonly title: Word;
  readonly commands: readonly Command[];
}

/** The commands that have all of the typed words, those that begin with them first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = commands.filter(({ label, detail = "" }) => {
    const text = `${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const first = words[0] ?? "";
  const rank = ({ label }: Command): number => (label.toLowerCase().startsWith(first) ? 0 : 1);
  return found.sort((one, other) => rank(one) - rank(other));
}

/** The place after `step` steps in a list of `count`, which is a ring. */
export function stepped(place: number, step: number, count: number): number {
  return count === 0 ? 0 : (place + step + count) % count;
}
