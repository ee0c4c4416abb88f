// The filter of a list: the search stays, on a phone the rest is folded behind one button.

import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

import { Button } from "../components/button";
import { t } from "../i18n";

export function FilterForm({ label, search, count, children }: {
  readonly label?: string;
  readonly search?: ComponentChildren;
  /** How many values narrow the list, besides the search: the button says so while they are folded. */
  readonly count: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [opened, setOpened] = useState(false);
  return (
    <form class={`filter foldable${opened ? " open" : ""}`} role="search" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {search}
      <span class="fold"><Button label={count > 0 ? t("filter.fold.count", { count }) : t("filter.fold")} pressed={opened} onPress={() => setOpened(!opened)} /></span>
      <div class="folded">{children}</div>
    </form>
  );
}
