// The layout of every page: navigation, user, language.

import type { ComponentChildren, JSX } from "preact";

import { language, setLanguage, t, type Language, type Word } from "../i18n";
import { href, place } from "../router";
import type { Source } from "./commands";
import { Help } from "./help";
import { Notices, notifyError } from "./notices";

export interface NavLink {
  readonly parts: readonly string[];
  readonly word: Word;
  /** First segments of paths that belong here. */
  readonly owns: readonly string[];
  /** Whether the link is shown to the user; by default it is. */
  readonly shown?: () => boolean;
}

export interface LayoutProps {
  readonly links: readonly NavLink[];
  /** The signed-in user, at the right end of the bar. */
  readonly user?: ComponentChildren;
  /** What the command palette finds besides pages and actions. */
  readonly sources: readonly Source[];
  readonly children: ComponentChildren;
}

export function Layout({ links, user, sources, children }: LayoutProps): JSX.Element {
  const first = place.value.path.split("/")[0] ?? "";
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to #content; below <base> a script has to follow it */}
      <a class="skip" href="#content" onClick={toContent}>
        {t("nav.skip")}
      </a>
      <header class="bar">
        <a class="brand" href={href([])}>
          <Mark /> <span>{t("app.name")}</span>
        </a>
        <nav aria-label={t("nav.label")}>
          {links.filter(({ shown }) => shown?.() ?? true).map((link) => (
            <a key={link.word} href={href(link.parts)} aria-current={link.owns.includes(first) ? "page" : undefined}>
              {t(link.word)}
            </a>
          ))}
        </nav>
        <div class="bar-end">
          <Help links={links} sources={sources} />
          {user}
          <LanguageChoice />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Notices />
    </>
  );
}

function toContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function LanguageChoice(): JSX.Element {
  return (
    <select
      class="language"
      aria-label={t("language.label")}
      value={language.value}
      onChange={(event) => void setLanguage(event.currentTarget.value as Language).catch(notifyError)}
    >
      <option value="en">{t("language.en")}</option>
      <option value="zh">{t("language.zh")}</option>
    </select>
  );
}

function Mark(): JSX.Element {
  return (
    <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect x="7" y="1.5" width="18" height="29" rx="4.5" class="mark-body" />
      <circle cx="16" cy="18" r="6.5" class="mark-ring" />
      <circle cx="16" cy="18" r="3" class="mark-dot" />
    </svg>
  );
}
