// What waits besides recording: what a reviewer has not looked at, and what was asked for again.

import type { JSX } from "preact";

import { get } from "../api";
import { useData } from "../components/data";
import { t } from "../i18n";
import { href } from "../router";
import { currentUser, hasRole } from "../user";

export function Waiting(): JSX.Element | null {
  const who = currentUser.value?.name;
  const reviews = hasRole("reviewer");
  const open = useData(async () => (reviews ? (await get("api/review/recordings/bulk")).count : 0), [who, reviews]);
  const again = useData(async () => (await get("api/episodes/facets")).review["again"] ?? 0, [who]);
  const counts = [
    { word: "waiting.open", count: open.value ?? 0, address: href(["review", "recordings"]) },
    { word: "waiting.again", count: again.value ?? 0, address: href(["episodes"], { review: "again" }) },
  ] as const;
  const shown = counts.filter(({ count }) => count > 0);
  if (shown.length === 0) return null;
  return (
    <nav class="panel" aria-label={t("waiting.title")}>
      <h2>{t("waiting.title")}</h2>
      <ul class="lines">
        {shown.map(({ word, count, address }) => <li key={word}><a href={address}>{t(word, { count })}</a></li>)}
      </ul>
    </nav>
  );
}
