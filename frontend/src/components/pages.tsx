// The page of the current route: a module whose default export is its component, loaded when it is
// first opened.

import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { t } from "../i18n";
import { catchFocus } from "../navigation";
import { href, matchPath, place, type Params } from "../router";
import { Boundary } from "./boundary";
import { Failure } from "./data";

export interface PageProps {
  readonly params: Params;
  readonly query: URLSearchParams;
}

export interface PageModule {
  readonly default: ComponentType<PageProps>;
}

export interface Route {
  readonly pattern: string;
  /** Patterns of one page have one name: a page that changes between them stays as it is. */
  readonly page?: string;
  readonly load: () => Promise<PageModule>;
}

/** The route of a path, with what its pattern names in it. */
export function routeOf(routes: readonly Route[], path: string): { readonly route: Route; readonly params: Params } | undefined {
  for (const route of routes) {
    const params = matchPath(route.pattern, path);
    if (params) return { route, params };
  }
  return undefined;
}

export function Pages({ routes }: { readonly routes: readonly Route[] }): JSX.Element {
  const { path, query } = place.value;
  const found = routeOf(routes, path);
  if (found) return <Opened key={found.route.page ?? found.route.pattern} {...found} query={query} />;
  return (
    <div class="page">
      <h1>{t("missing.title")}</h1>
      <p>
        <a href={href([])}>{t("missing.home")}</a>
      </p>
    </div>
  );
}

function Opened({ route, params, query }: PageProps & { readonly route: Route }): JSX.Element {
  const [module, setModule] = useState<PageModule | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const mounted = useRef(true);
  const load = (): void => {
    setError(undefined);
    route.load().then(
      (loaded) => mounted.current && setModule(loaded),
      (reason: unknown) => mounted.current && setError(reason),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a component belongs to one route
  useEffect(() => {
    mounted.current = true;
    load();
    return () => {
      mounted.current = false;
    };
  }, []);
  if (error !== undefined) return <Failure error={error} onRetry={load} />;
  if (!module) return <p class="page quiet" role="status">{t("loading")}</p>;
  const Page = module.default;
  return (
    <Boundary key={JSON.stringify(params)}>
      <Arrived />
      <Page params={params} query={query} />
    </Boundary>
  );
}

/** Catches the focus that the page before had, once another stands in its place. */
function Arrived(): null {
  useEffect(() => {
    // After what the page itself gives the focus to.
    requestAnimationFrame(catchFocus);
  }, []);
  return null;
}

/** Names the open page in the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · tapwright`;
  }, [title]);
}
