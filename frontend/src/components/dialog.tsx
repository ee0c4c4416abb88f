// A dialog on the browser's own <dialog>, which keeps the focus inside, closes on Escape and gives the
// focus back; Ctrl+Enter does what it offers first, unless that is dangerous; shortcuts of the page behind it are inactive.

import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { t } from "../i18n";
import { Button } from "./button";
import { composes, Layer, newLayer, openLayer, writes } from "./keys";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What can be done, from left to right; Cancel stands before it. */
  readonly actions?: ComponentChildren;
  /** The label of the button that closes it, where nothing is to be cancelled. */
  readonly closeLabel?: string;
}

/** What had the focus before a dialog in whose place another opens, as the list of keys does from the palette. */
let left: Element | null = null;

export function Dialog({ title, onClose, children, actions, closeLabel = t("cancel") }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [layer] = useState(newLayer);
  const [asks, setAsks] = useState(false);
  const typed = useRef(false);
  useLayoutEffect(() => {
    const closeLayer = openLayer(layer);
    const opener = left ?? document.activeElement;
    dialog.current?.showModal();
    return () => {
      closeLayer();
      left = opener;
      // It is taken off the page without being closed, which alone would give the focus back.
      queueMicrotask(() => {
        left = null;
        if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      });
    };
  }, [layer]);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        if (typed.current) setAsks(true);
        else onClose();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || composes(event)) return;
        const done = event.currentTarget.querySelector<HTMLButtonElement>(".dialog-actions .primary");
        event.preventDefault();
        done?.click();
      }}
      onInput={(event) => {
        if (writes(event.target)) typed.current = true;
      }}
    >
      <Layer.Provider value={layer}>
        <h2 id={heading}>{title}</h2>
        <div class="dialog-body">{children}</div>
        {asks && (
          <div class="banner warn row" role="alert">
            <span>{t("dialog.typed")}</span>
            <Button label={t("dialog.typed.discard")} onPress={onClose} />
          </div>
        )}
        <div class="dialog-actions">
          <Button label={closeLabel} onPress={onClose} />
          {actions}
        </div>
      </Layer.Provider>
    </dialog>
  );
}
