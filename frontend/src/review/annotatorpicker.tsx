// Whose annotations are reviewed: each annotator with how many of its steps are open.

import type { JSX } from "preact";

import type { AnnotatorView, ReviewCounts } from "../generated/api";
import { t } from "../i18n";
import { Field } from "../library/field";
import { go } from "../router";
import { filterQuery, type StepFilter } from "./filter";

export function AnnotatorPicker({ annotators, chosen, progress, filter }: {
  readonly annotators: readonly AnnotatorView[];
  readonly chosen: string;
  /** That of the chosen one, as it is now. */
  readonly progress: ReviewCounts;
  readonly filter: StepFilter;
}): JSX.Element | null {
  if (annotators.length < 2) return null;
  return (
    <Field label={t("review.annotator")}>
      <select value={chosen} onChange={(event) => go(["review"], { ...filterQuery(filter), annotator: event.currentTarget.value })}>
        {annotators.map((one) => (
          <option key={one.name} value={one.name}>
            {t("review.annotator.open", { name: one.name, open: (one.name === chosen ? progress : one.progress).open })}
          </option>
        ))}
      </select>
    </Field>
  );
}
