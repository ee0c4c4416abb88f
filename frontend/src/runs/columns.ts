// The columns that rows can be sorted by, beside their labels.

import { t } from "../i18n";

export const COLUMNS = ["key", "verdict", "mistake", "score", "latency", "tokens", "steps", "answer", "instruction"] as const;
export type Column = (typeof COLUMNS)[number];

const LABELS = ["app", "platform", "difficulty", "data_type", "grounding_type", "target_size", "language"] as const;

export function columnName(column: string): string {
  return COLUMNS.includes(column as Column) ? t(`run.sort.${column as Column}`) : labelName(column);
}

/** The name of a label; one of somebody's own benchmark is called as it is. */
export function labelName(label: string): string {
  const known = LABELS.find((one) => one === label.replaceAll(" ", "_"));
  return known ? t(`label.${known}`) : label.replaceAll("_", " ");
}
