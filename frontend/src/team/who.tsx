// Who has signed in, at the right end of the bar.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { notifyError } from "../components/notices";
import { t } from "../i18n";
import { me, signOut } from "./me";

export function Who(): JSX.Element | null {
  const here = me.value;
  if (!here?.requires_login || here.name === null) return null;
  return (
    <>
      <span class="quiet">{here.name}</span>
      <Button label={t("team.signOut")} kind="quiet" onPress={() => void signOut().catch(notifyError)} />
    </>
  );
}
