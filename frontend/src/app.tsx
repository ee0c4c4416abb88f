// Starts the app: language, shortcuts, router, layout, pages.

import { render, type ComponentChildren } from "preact";

import type { Source } from "./components/commands";
import { startFonts } from "./components/fonts";
import { startKeys } from "./components/keys";
import { Layout, type NavLink } from "./components/layout";
import { Pages, type Route } from "./components/pages";
import { initLanguage } from "./i18n";
import { startRouter } from "./router";
import "./styles.css";

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly links: readonly NavLink[];
  /** True where there is no server to answer for paths. */
  readonly hash: boolean;
  readonly user?: ComponentChildren;
  readonly sources: readonly Source[];
}

export function startApp({ routes, links, hash, user, sources }: AppOptions): void {
  initLanguage();
  startRouter({ hash });
  startKeys();
  startFonts();
  render(
    <Layout links={links} user={user} sources={sources}>
      <Pages routes={routes} />
    </Layout>,
    document.body,
  );
}
