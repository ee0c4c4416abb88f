// A screen with marks over it: a picture or a canvas, and an SVG of the same shape whose unit is one
// pixel of the device, so that a mark lies exactly on what it marks at every zoom.

import type { ComponentChildren, JSX, Ref } from "preact";
import { useState } from "preact/hooks";

import { t } from "../i18n";
import type { Size } from "./geometry";

export interface ScreenProps {
  readonly size: Size;
  /** What the screen shows, for who cannot see it. */
  readonly label: string;
  /** The address of a still picture; or `children` with a canvas for a live one. */
  readonly src?: string;
  readonly children?: ComponentChildren;
  /** SVG elements in pixels of the device, the centre of pixel (x, y) at (x + 0.5, y + 0.5). */
  readonly marks?: ComponentChildren;
  readonly frame?: Ref<HTMLDivElement>;
  /** Whether a still picture is fetched only when it is near. */
  readonly lazy?: boolean;
}

export function Screen({ size, label, src, children, marks, frame, lazy = false }: ScreenProps): JSX.Element {
  const [broken, setBroken] = useState<string | null>(null);
  return (
    <div class="screen" ref={frame ?? null}>
      {src !== undefined && <img {...(lazy ? { loading: "lazy" } : {})} src={src} alt={label} draggable={false} decoding="async" onError={() => setBroken(src)} />}
      {src !== undefined && broken === src && <p class="broken" role="status">{t("picture.missing")}</p>}
      {children}
      <svg class="marks" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        {marks}
      </svg>
    </div>
  );
}
