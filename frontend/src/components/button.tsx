// A button with a shortcut: it displays it, announces it to screen readers, and handles it.

import type { ComponentChildren, JSX } from "preact";
import { forwardRef } from "preact/compat";

import { keySign, useShortcut } from "./keys";

export interface ButtonProps {
  readonly label: string;
  readonly onPress: () => void;
  readonly keys?: string | undefined;
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  /** Shown before the label; with `bare` instead of it. */
  readonly icon?: ComponentChildren;
  readonly bare?: boolean;
  readonly title?: string;
  /** A class of its own, for a place that styles it. */
  readonly extra?: string;
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { label, onPress, keys, kind = "plain", disabled = false, pressed, icon, bare = false, title, extra = "" },
  ref,
): JSX.Element {
  useShortcut(keys, label, onPress, !disabled);
  // A longer key beside a picture would be read as the button's name.
  const named = bare && keys !== undefined && keys.length > 1;
  return (
    <button
      ref={ref}
      type="button"
      class={`button ${kind}${bare ? " bare" : ""} ${extra}`.trim()}
      onClick={onPress}
      disabled={disabled}
      title={title ?? (named ? `${label} (${keys})` : bare ? label : undefined)}
      {...(bare ? { "aria-label": label } : {})}
      {...(keys ? { "aria-keyshortcuts": keys } : {})}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
    >
      {icon !== undefined && <span aria-hidden="true">{icon}</span>}
      {!bare && <span>{label}</span>}
      {keys && !named && <kbd aria-hidden="true">{keySign(keys)}</kbd>}
    </button>
  );
});
