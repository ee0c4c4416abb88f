// The filter of the review queue: each value says how many steps it would show.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import { Field } from "../library/field";
import type { ReviewFacets } from "../generated/api";
import { t } from "../i18n";
import { appName } from "../library/format";
import { AGES_H, facetOptions, STATES, type StepFilter } from "./filter";
import { reasonWords } from "./forms";

const NARROW_PX = 1100;

/** `picker` stands before the filter, `children` after it; on a narrow screen all of it is folded. */
export function FilterBar({ filter, facets, onChange, picker, children }: {
  readonly filter: StepFilter;
  readonly facets: ReviewFacets | undefined;
  readonly onChange: (filter: StepFilter) => void;
  readonly picker: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const narrow = (part: Partial<StepFilter>): void => onChange({ ...filter, ...part });
  const option = (value: string, count: number | undefined): string => (count === undefined ? value : t("filter.option", { value, count }));
  const [unfolded] = useState(() => innerWidth > NARROW_PX);
  return (
    <details class="filters" open={unfolded}>
      <summary>{t("review.filter")} <span class="quiet" role="status">{facets && t("review.found", { count: facets.found })}</span></summary>
      <form class="filter" role="search" aria-label={t("review.filter")} onSubmit={(event) => event.preventDefault()}>
        {picker}
        <Field label={t("review.filter.state")}>
          <select value={filter.show} onChange={(event) => narrow({ show: STATES.find((one) => one === event.currentTarget.value) ?? "open" })}>
            {STATES.map((one) => (
              <option key={one} value={one}>{option(t(one === "any" ? "review.show.any" : `review.state.${one}`), facets && (facets.state[one] ?? 0))}</option>
            ))}
          </select>
        </Field>
        <Field label={t("review.filter.code")}>
          <select value={filter.code} onChange={(event) => narrow({ code: event.currentTarget.value })}>
            <option value="">{t("filter.any")}</option>
            {facetOptions(facets?.code ?? {}, filter.code).map(([code, count]) => <option key={code} value={code}>{option(reasonWords(code, code), count)}</option>)}
          </select>
        </Field>
        <Field label={t("review.filter.app")}>
          <select value={filter.app} onChange={(event) => narrow({ app: event.currentTarget.value })}>
            <option value="">{t("filter.any")}</option>
            {facetOptions(facets?.app ?? {}, filter.app).map(([app, count]) => <option key={app} value={app}>{option(appName(app), count)}</option>)}
          </select>
        </Field>
        <Field label={t("review.filter.waiting")}>
          <select value={filter.waiting_h} onChange={(event) => narrow({ waiting_h: AGES_H.find((one) => String(one) === event.currentTarget.value) ?? 0 })}>
            <option value={0}>{t("filter.any")}</option>
            {AGES_H.map((one) => <option key={one} value={one}>{option(t(`review.waiting.${one}`), facets?.waiting_h[one])}</option>)}
          </select>
        </Field>
        <label class="check">
          <input type="checkbox" checked={filter.differs} onChange={(event) => narrow({ differs: event.currentTarget.checked })} />
          <span>{t("review.filter.differs", { count: facets?.differs ?? "…" })}</span>
        </label>
        {children}
      </form>
    </details>
  );
}
