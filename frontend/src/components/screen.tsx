// A screen with marks over it: a picture or a canvas, and an SVG of the same shape whose unit is one
// pixel of the device, so that a mark lies exactly on what it marks at every zoom.

import type { ComponentChildren, JSX, Ref } from "preact";

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
}

export function Screen({ size, label, src, children, marks, frame }: ScreenProps): JSX.Element {
  return (
    <div class="screen" ref={frame ?? null}>
      {src !== undefined && <img src={src} alt={label} draggable={false} decoding="async" />}
      {children}
      <svg class="marks" viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        {marks}
      </svg>
    </div>
  );
}
