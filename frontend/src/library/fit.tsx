// What steps may be used for, as core/fit.py names it: a word, and a count of those that are no targets.

import type { JSX } from "preact";

import type { EntryView, EpisodeStepView } from "../generated/api";
import { t } from "../i18n";

type FitKind = EpisodeStepView["fit"];

const KINDS: readonly string[] = ["target", "refused", "cut off", "stale", "unlabelled", "no picture", "black", "by another"] satisfies FitKind[];

/** Whether a step is a target, or would be one with a reasoning. */
export function isUsual(kind: string): boolean {
  return kind === "target" || kind === "unlabelled";
}

export function fitName(kind: string): string {
  return KINDS.includes(kind) ? t(`fit.${kind as FitKind}`) : kind;
}

/** How many steps are no targets, and why. */
export function Unfit({ of: { unfit, fit } }: { readonly of: Pick<EntryView, "unfit" | "fit"> }): JSX.Element {
  const kinds = Object.entries(fit).filter(([kind]) => !isUsual(kind));
  return <span title={t("fit.means")}>{unfit} <span class="quiet">({kinds.map(([kind, count]) => `${fitName(kind)} ${count}`).join(", ")})</span></span>;
}
