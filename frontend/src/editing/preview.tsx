// What an edit would change, as the server says before it is applied.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

import { post } from "../api";
import type { EditPreview } from "../generated/api";
import { t } from "../i18n";

const SETTLED_MS = 250;

export function Difference({ preview }: { readonly preview: EditPreview }): JSX.Element {
  if (preview.lines.length === 0) return <p class="quiet" role="status">{t("edit.same")}</p>;
  return (
    <div class="difference" role="group" aria-label={t("edit.difference")} tabIndex={0}>
      {preview.lines.map((line, index) => (
        <div key={index} class={line.sign === "-" ? "gone" : line.sign === "+" ? "new" : ""}>
          <span class="sign">{line.sign}</span>
          <span class="number">{line.step === null ? "" : line.step + 1}</span>
          <span>{line.text}</span>
        </div>
      ))}
    </div>
  );
}

/** The server's preview of an edit, requested once the form has not changed for a moment. */
export function usePreview(id: string, version: number, text: string | null): { value: EditPreview | undefined; error: unknown } {
  const [state, setState] = useState<{ of: string; value: EditPreview | undefined; error: unknown }>({ of: "", value: undefined, error: undefined });
  const of = `${version} ${text ?? ""}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` is made of version and text
  useEffect(() => {
    if (text === null) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      post("api/edit/preview", { id, version, modifiers: text }).then(
        (value) => current && setState({ of, value, error: undefined }),
        (error: unknown) => current && setState({ of, value: undefined, error }),
      );
    }, SETTLED_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [of, id]);
  return state.of === of ? state : { value: undefined, error: undefined };
}
