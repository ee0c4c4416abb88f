// Scores as bars with their 95 % intervals, one line each; below the chart stand the figures of the line
// that is hovered or focused.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import type { CellView } from "../generated/api";
import { t } from "../i18n";
import { formatInterval, formatPercent } from "../library/format";

export interface Bar {
  readonly name: string;
  readonly cell: CellView;
}

/** With `onChoose` a line is a button, pressed where it is the one that is `chosen`. */
export function BarChart({ title, bars, chosen, onChoose }: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly chosen?: string;
  readonly onChoose?: ((name: string) => void) | undefined;
}): JSX.Element {
  const [told, setTold] = useState("");
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <ul>
        {bars.map(({ name, cell }) => {
          const values = { group: name || "–", score: formatPercent(cell.value), interval: formatInterval(cell.interval) || "–", n: cell.n };
          const tells = { onMouseEnter: () => setTold(t("run.bar", values)), onFocus: () => setTold(t("run.bar", values)) };
          const inside = (
            <>
              <span class="name">{name || "–"}</span>
              <Plot cell={cell} />
              <span class="value">{formatPercent(cell.value)}</span>
              <span class="visually-hidden">{t("run.bar.rest", values)}</span>
            </>
          );
          return (
            <li key={name}>
              {onChoose && name !== "" ? (
                <button type="button" class="line" aria-pressed={chosen === name} {...tells} onClick={() => onChoose(chosen === name ? "" : name)}>
                  {inside}
                </button>
              ) : (
                <span class="line" tabIndex={0} {...tells}>{inside}</span>
              )}
            </li>
          );
        })}
      </ul>
      <p class="told" aria-hidden="true">{told}</p>
    </figure>
  );
}

function Plot({ cell: { value, interval } }: { readonly cell: CellView }): JSX.Element {
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="whole" width="100" height="10" />
      {value !== null && <rect class="part" width={100 * value} height="10" />}
      {interval && <rect class="spread" x={100 * interval[0]} y="4" width={Math.max(0.8, 100 * (interval[1] - interval[0]))} height="2" />}
    </svg>
  );
}
