// Data from the server in a page: loading, shown, failed (with the way out), loaded again.

import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";

import { t } from "../i18n";
import { Button } from "./button";
import { wordsOf } from "./notices";

export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly reload: () => void;
}

/** Loads when `keys` change; an answer that comes after the next question is dropped. */
export function useData<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | undefined; error: unknown }>({ value: undefined, error: undefined });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let wanted = true;
    load().then(
      (value) => wanted && setState({ value, error: undefined }),
      (error: unknown) => wanted && setState((before) => ({ value: before.value, error })),
    );
    return () => {
      wanted = false;
    };
  }, [...keys, turn]);
  return { ...state, reload: useCallback(() => setTurn((before) => before + 1), []) };
}

export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): JSX.Element {
  const { text, hint } = wordsOf(error);
  return (
    <div class="failure" role="alert">
      <p>{text}</p>
      {hint && <p class="hint">{hint}</p>}
      {onRetry && <Button label={t("retry")} onPress={onRetry} />}
    </div>
  );
}

/** Shows `data` once it is there. */
export function Data<T>({ data, children }: { readonly data: Loaded<T>; readonly children: (value: T) => ComponentChildren }): JSX.Element {
  if (data.value !== undefined) return <>{children(data.value)}</>;
  if (data.error !== undefined) return <Failure error={data.error} onRetry={data.reload} />;
  return <p class="quiet" role="status">{t("loading")}</p>;
}
