// The signed-in user, and the button that signs out.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { notifyError } from "../components/notices";
import { t } from "../i18n";
import { currentUser, signOut } from "../user";

export function UserMenu(): JSX.Element | null {
  const here = currentUser.value;
  if (!here?.requires_login || here.name === null) return null;
  return (
    <>
      <span class="quiet">{here.name}</span>
      <Button label={t("team.signOut")} kind="quiet" onPress={() => void signOut().catch(notifyError)} />
    </>
  );
}
