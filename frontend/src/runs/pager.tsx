// Previous and next page of the rows that fit.

import type { JSX } from "preact";

import { Button } from "../components/button";
import { t } from "../i18n";

export function Pager({ page, pages, onPage }: { readonly page: number; readonly pages: number; readonly onPage: (page: number) => void }): JSX.Element | null {
  if (pages <= 1) return null;
  return (
    <div class="pager" role="group" aria-label={t("pager.label")}>
      <Button label={t("pager.before")} disabled={page <= 0} onPress={() => onPage(page - 1)} />
      <span>{t("pager.place", { page: page + 1, pages })}</span>
      <Button label={t("pager.next")} disabled={page + 1 >= pages} onPress={() => onPage(page + 1)} />
    </div>
  );
}
