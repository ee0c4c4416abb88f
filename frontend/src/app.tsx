// Starts the app: language, shortcuts, router, layout, pages.

import { render, type ComponentChildren } from "preact";

import type { Source } from "./components/commands";
import { startFonts } from "./components/fonts";
import { startKeys } from "./components/keys";
import { Layout, type NavLink } from "./components/layout";
import { Pages, routeOf, type Route } from "./components/pages";
import { initLanguage } from "./i18n";
import { place, startRouter } from "./router";
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
  startRouter({ hash });
  startKeys();
  startFonts();
  const spoken = initLanguage();
  routeOf(routes, place.peek().path)?.route.load().catch(() => undefined); // beside the words; who fails is told when it is opened
  void spoken.then(() =>
    render(
      <Layout links={links} user={user} sources={sources}>
        <Pages routes={routes} />
      </Layout>,
      document.body,
    ),
  );
}
