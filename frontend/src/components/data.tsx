// Data from the server in a page: loading, shown, failed (with the way out), loaded again.

import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";

import { ApiError } from "../api";
import { t } from "../i18n";
import { href } from "../router";
import { Button } from "./button";
import { describeError, ErrorDetails } from "./notices";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Loads when `keys` change; an answer that arrives after the next request is dropped. */
export function useData<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; error: unknown }>({ value: undefined, error: undefined });
  const [reloads, setReloads] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what `load` depends on
  useEffect(() => {
    let current = true;
    load().then(
      (value) => current && setState({ value, error: undefined }),
      (error: unknown) => current && setState((before) => ({ value: before.value, error })),
    );
    return () => {
      current = false;
    };
  }, [...keys, reloads]);
  return { ...state, reload: useCallback(() => setReloads((before) => before + 1), []) };
}

/** Loads anew `everyMs` after each answer while the page is seen, and when it is seen again. */
export function useRefresh(data: Loaded<unknown>, everyMs: number): void {
  const { reload, value, error } = data;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer begins the next wait, so that none is dropped for the next
  useEffect(() => {
    const refresh = (): void => {
      if (!document.hidden) reload();
    };
    const timer = setTimeout(refresh, everyMs);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, [reload, everyMs, value, error]);
}

export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): JSX.Element {
  const { text, hint, details } = describeError(error);
  return (
    <div class="failure" role="alert">
      <p>{text}</p>
      {hint && <p class="hint">{hint}</p>}
      <ErrorDetails text={details} />
      {isFinal(error)
        ? <a class="button" href={href([])}>{t("missing.home")}</a>
        : onRetry && <Button label={t("retry")} onPress={onRetry} />}
    </div>
  );
}

/** Whether asking again is of no use: it is not for this person, or not there. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404);
}

/** Shows `data` once it is there. */
export function Data<T>({ data, children }: { readonly data: Loaded<T>; readonly children: (value: T) => ComponentChildren }): JSX.Element {
  if (data.value !== undefined) return <>{children(data.value)}</>;
  if (data.error !== undefined) return <Failure error={data.error} onRetry={data.reload} />;
  return <p class="quiet" role="status">{t("loading")}</p>;
}
