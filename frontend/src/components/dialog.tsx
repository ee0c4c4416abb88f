// A dialog on the browser's own <dialog>, which keeps the focus inside, closes on Escape and gives the
// focus back; shortcuts of the page behind it are inactive.

import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { t } from "../i18n";
import { Button } from "./button";
import { Layer, newLayer, openLayer } from "./keys";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What can be done, from left to right; Cancel stands before it. */
  readonly actions?: ComponentChildren;
}

export function Dialog({ title, onClose, children, actions }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [layer] = useState(newLayer);
  useLayoutEffect(() => {
    const closeLayer = openLayer(layer);
    dialog.current?.showModal();
    return closeLayer;
  }, [layer]);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <Layer.Provider value={layer}>
        <h2 id={heading}>{title}</h2>
        <div class="dialog-body">{children}</div>
        <div class="dialog-actions">
          <Button label={t("cancel")} onPress={onClose} />
          {actions}
        </div>
      </Layer.Provider>
    </dialog>
  );
}
