// Help that every page has: the list of its keys, the command palette, and the link of the view.

import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { language, setLanguage, t } from "../i18n";
import { go } from "../router";
import { Button } from "./button";
import { copyText } from "./clipboard";
import type { Command, Group, Source } from "./commands";
import { Dialog } from "./dialog";
import { keySign, listShortcuts, PALETTE, type Shortcut } from "./keys";
import type { NavLink } from "./layout";
import { notifyError } from "./notices";
import { Palette } from "./palette";

type Open = { readonly what: "keys" | "palette"; readonly shortcuts: readonly Shortcut[] };

export function Help({ links, sources }: { readonly links: readonly NavLink[]; readonly sources: readonly Source[] }): JSX.Element {
  const [open, setOpen] = useState<Open | null>(null);
  // Read before the dialog is open, which has shortcuts of its own.
  const show = (what: Open["what"]): void => setOpen({ what, shortcuts: listShortcuts() });
  const copyLink = (): void => void copyText(location.href, t("link.copied"));
  const close = (): void => setOpen(null);
  return (
    <div class="help">
      <Button label={t("palette.open")} kind="quiet" bare icon={<SearchIcon />} keys={PALETTE} onPress={() => show("palette")} />
      <Button label={t("link.copy")} kind="quiet" bare icon={<LinkIcon />} onPress={copyLink} />
      <Button label={t("keys.open")} kind="quiet" bare keys="?" onPress={() => show("keys")} />
      {open?.what === "keys" && <KeyList shortcuts={open.shortcuts} onClose={close} />}
      {open?.what === "palette" && (
        <Palette groups={groups(links, open.shortcuts, copyLink, () => show("keys"))} sources={sources} onClose={close} />
      )}
    </div>
  );
}

function KeyList({ shortcuts, onClose }: { readonly shortcuts: readonly Shortcut[]; readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title={t("keys.title")} closeLabel={t("close")} onClose={onClose}>
      <dl class="key-list">
        {shortcuts.map(({ keys, label }) => (
          <div key={keys}>
            <dt><kbd>{keySign(keys)}</kbd></dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{t("keys.fields")}</p>
    </Dialog>
  );
}

/** The pages that the user sees, and the actions of the app and of the open page. */
function groups(links: readonly NavLink[], shortcuts: readonly Shortcut[], copyLink: () => void, showKeys: () => void): Group[] {
  const pages = links.filter(({ shown }) => shown?.() ?? true);
  const other = language.value === "en" ? "zh" : "en";
  const own = shortcuts.filter(({ keys }) => keys !== PALETTE && keys !== "?");
  const actions: Command[] = [
    ...own,
    { label: t("link.copy"), run: copyLink },
    { label: t("keys.open"), keys: "?", run: showKeys },
    { label: t(`language.${other}`), detail: t("language.label"), run: () => void setLanguage(other).catch(notifyError) },
  ];
  return [
    { title: "palette.pages", commands: pages.map(({ parts, word }) => ({ label: t(word), run: () => go(parts) })) },
    { title: "palette.actions", commands: actions },
  ];
}

function SearchIcon(): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" class="line-icon" aria-hidden="true">
      <circle cx="7" cy="7" r="4.5" />
      <path d="M10.5 10.5L14 14" />
    </svg>
  );
}

function LinkIcon(): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" class="line-icon" aria-hidden="true">
      <path d="M7 5l2-2a2.8 2.8 0 0 1 4 4l-2 2M9 11l-2 2a2.8 2.8 0 0 1-4-4l2-2M6 10l4-4" />
    </svg>
  );
}
