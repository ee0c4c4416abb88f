import type { JSX } from "preact";

import { t } from "../i18n";

export default function Page(): JSX.Element {
  return (
    <div class="page">
      <h1>{t("pending.title")}</h1>
    </div>
  );
}
