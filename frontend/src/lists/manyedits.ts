// Edits that many episodes can have, in the grammar of `tapwright episodes edit`: each is edited by itself.

export const MANY_EDITS = ["instruction", "outcome", "steps", "modifiers"] as const;
export type ManyEdit = (typeof MANY_EDITS)[number];

/** An edit as modifiers; null while its value is none. `steps` are numbers from 1, as pages show them. */
export function manyModifiers(edit: ManyEdit, value: string): string | null {
  const text = value.trim();
  if (text === "") return null;
  switch (edit) {
    case "instruction":
      return `instruction:${JSON.stringify(text)}`;
    case "outcome":
      return `outcome:${text}`;
    case "steps": {
      const steps = parseSteps(text);
      return steps && `delete:${JSON.stringify(steps.map((step) => step - 1))}`;
    }
    case "modifiers":
      return text;
  }
}

const MOST = 10_000;

/** "2,5,7-9" as numbers from 1 in their order, each once; null for what is none. */
export function parseSteps(text: string): number[] | null {
  const found = new Set<number>();
  for (const part of text.split(/[,，\s]+/).filter((one) => one !== "")) {
    const [, first, last = first] = /^(\d{1,5})(?:[-–](\d{1,5}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last)];
    if (first === undefined || from < 1 || to < from || to > MOST) return null;
    for (let step = from; step <= to; step++) found.add(step);
  }
  return found.size === 0 ? null : [...found].sort((one, other) => one - other);
}
