// A labelled part of a form.

import type { ComponentChildren, JSX } from "preact";

export function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}
