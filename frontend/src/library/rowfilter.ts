// The filter of a run's samples, which is in the address: "?verdict=miss&mistake=near+miss&label=app:Notes".

import type { SampleView } from "../generated/api";

export interface RowFilter {
  readonly verdict: string;
  readonly mistake: string;
  /** "name:value" of one label. */
  readonly label: string;
  readonly text: string;
}

export function parseRowFilter(query: URLSearchParams): RowFilter {
  const value = (name: string): string => query.get(name) ?? "";
  return { verdict: value("verdict"), mistake: value("mistake"), label: value("label"), text: value("q") };
}

export function fits(row: SampleView, { verdict, mistake, label, text }: RowFilter): boolean {
  if (verdict !== "" && row.verdict !== verdict) return false;
  if (mistake !== "" && row.mistake !== mistake) return false;
  const at = label.indexOf(":");
  if (at > 0 && row.labels[label.slice(0, at)] !== label.slice(at + 1)) return false;
  const wanted = text.trim().toLowerCase();
  return wanted === "" || `${row.key}\n${row.instruction}\n${row.answer}`.toLowerCase().includes(wanted);
}

/** The labels that not all rows share, "name:value" with how many rows have it. */
export function countLabels(rows: readonly SampleView[]): readonly (readonly [label: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row.labels)) {
      if (value !== "") counts.set(`${name}:${value}`, (counts.get(`${name}:${value}`) ?? 0) + 1);
    }
  }
  return [...counts].filter(([, count]) => count < rows.length).sort(([one], [other]) => one.localeCompare(other));
}
