// The facets of a list of episodes: each value with how many episodes it would show.

import type { JSX } from "preact";

import type { EpisodeFacets } from "../generated/api";
import { t } from "../i18n";
import { fitName } from "../library/fit";
import { appName, formatOutcome } from "../library/format";
import { recordingStateName } from "../library/recordingstate";
import type { Query } from "../router";
import { withChosen } from "../tables/counts";
import { FACETS, type EpisodesFilter, type Facet } from "./episodelist";

export function Facets({ facets, filter, narrow }: {
  readonly facets: EpisodeFacets | undefined;
  readonly filter: EpisodesFilter;
  readonly narrow: (values: Query) => void;
}): JSX.Element {
  return (
    <>
      {FACETS.map((facet) => {
        const values = withChosen(facets?.[facet] ?? {}, filter[facet]);
        if (facets && (values.length === 0 || unreviewed(facet, values))) return null;
        return (
          <label class="field" key={facet}>
            <span>{t(`column.${facet}`)}</span>
            <select value={filter[facet] ?? ""} onChange={(event) => narrow({ [facet]: event.currentTarget.value || undefined })}>
              <option value="">{t("filter.any")}</option>
              {values.map(([value, count]) => <option key={value} value={value}>{t("filter.option", { value: facetName(facet, value), count })}</option>)}
            </select>
          </label>
        );
      })}
    </>
  );
}

/** Where nobody has reviewed a recording, the state of its review says nothing. */
function unreviewed(facet: Facet, values: readonly (readonly [string, number])[]): boolean {
  return facet === "review" && values.every(([value]) => value === "open");
}

function facetName(facet: Facet, value: string): string {
  switch (facet) {
    case "outcome":
      return formatOutcome(value);
    case "app":
      return appName(value);
    case "language":
      return formatLanguage(value);
    case "fit":
      return fitName(value);
    case "review":
      return recordingStateName(value);
    default:
      return value;
  }
}

export function formatLanguage(language: string): string {
  return language === "en" || language === "zh" ? t(`language.${language}`) : language;
}
