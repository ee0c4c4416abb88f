// What a list says while the server reads a large store for the first time, the newest episodes first.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

import type { Loaded } from "../components/data";
import type { EpisodePage } from "../generated/api";
import { t } from "../i18n";

const AGAIN_MS = 1000;

/** Loads again until all episodes are read. */
export function useUntilRead(data: Loaded<EpisodePage>): void {
  const { value, reload } = data;
  useEffect(() => {
    if (value === undefined || value.unread === 0) return;
    const timer = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [value, reload]);
}

export function Reading({ page: { total, unread } }: { readonly page: EpisodePage }): JSX.Element | null {
  if (unread === 0) return null;
  const text = t("episodes.reading", { done: total, all: total + unread });
  return (
    <div class="banner row" role="status">
      <progress value={total} max={total + unread} aria-label={t("episodes.reading.name")} />
      <span>{text}</span>
    </div>
  );
}
