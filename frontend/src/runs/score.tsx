// A score in figures and as a bar with its 95 % interval.

import type { JSX } from "preact";

import type { Pair } from "../components/geometry";
import { formatPercent, formatInterval } from "../library/format";

export function Score({ value, interval }: { readonly value: number | null; readonly interval: Pair | null }): JSX.Element {
  return (
    <span class="score">
      <span><strong>{formatPercent(value)}</strong> <span class="quiet">{formatInterval(interval)}</span></span>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect class="whole" width="100" height="8" />
        {value !== null && <rect class="part" width={100 * value} height="8" />}
        {interval && <rect class="spread" x={100 * interval[0]} y="3" width={100 * (interval[1] - interval[0])} height="2" />}
      </svg>
    </span>
  );
}
