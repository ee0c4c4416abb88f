// The columns that rows can be sorted by, beside their labels.

import { t } from "../i18n";

export const COLUMNS = ["key", "verdict", "mistake", "score", "latency", "tokens", "steps", "answer", "instruction"] as const;
export type Column = (typeof COLUMNS)[number];

/** The name of a column; a label is called as it is. */
export function columnName(column: string): string {
  return COLUMNS.includes(column as Column) ? t(`run.sort.${column as Column}`) : column.replaceAll("_", " ");
}
