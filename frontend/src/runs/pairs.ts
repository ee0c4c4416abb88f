// Pairs of runs: the difference seen from either side, and what is told of it.

import type { PairView } from "../generated/api";

/** Below this a corrected p-value is taken for a real difference. */
export const SIGNIFICANT = 0.05;

/** The pair with `row` compared with `column`, whichever way round it was measured. */
export function findPair(pairs: readonly PairView[], row: string, column: string): PairView | undefined {
  const found = pairs.find((pair) => pair.before === column && pair.after === row);
  if (found) return found;
  const other = pairs.find((pair) => pair.before === row && pair.after === column);
  return other && {
    ...other,
    before: column,
    after: row,
    difference: -other.difference,
    interval: other.interval && [-other.interval[1], -other.interval[0]],
    gained: other.lost,
    lost: other.gained,
  };
}

export function formatP(value: number): string {
  return value < 0.001 ? "< 0.001" : value.toFixed(3);
}

/** The names in an address: a JSON list; none where it is not one. */
export function parseRuns(text: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) && found.every((one) => typeof one === "string") ? [...new Set(found)] : [];
  } catch {
    return [];
  }
}
