// How long something has lasted, in the largest unit that fits.

import { language } from "../i18n";

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Seconds as "3 min" or "2 hr", in the page's language. */
export function formatAge(seconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => seconds >= one) ?? UNITS[3];
  return new Intl.NumberFormat(language.value, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 }).format(Math.floor(seconds / length));
}
