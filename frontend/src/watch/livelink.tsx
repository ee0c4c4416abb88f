// A link to the attempts that are played now, of a run or of all; nothing while there are none.

import type { JSX } from "preact";

import { get } from "../api";
import { useData, useRefresh } from "../components/data";
import { t } from "../i18n";
import { href } from "../router";
import { hasRole } from "../user";
import { isOver } from "./attempts";

const EVERY_MS = 10_000;

export function LiveLink({ run }: { readonly run?: string }): JSX.Element | null {
  return hasRole("reviewer") ? <Link run={run} /> : null;
}

function Link({ run }: { readonly run: string | undefined }): JSX.Element | null {
  const data = useData(() => get("api/live", { run }), [run]);
  useRefresh(data, EVERY_MS);
  const count = data.value?.filter((one) => !isOver(one)).length ?? 0;
  return count === 0 ? null : <p><a class="button" href={href(["watch"], { run })}><span aria-hidden="true">●</span> {t("watch.link", { n: count })}</a></p>;
}
