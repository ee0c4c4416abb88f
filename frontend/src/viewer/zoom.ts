// Zoom and pan of a picture in a frame of the same shape. The offset is in fractions of the frame, so that
// it holds when the frame changes its size.

import type { Point } from "../components/geometry";

export interface Zoom {
  /** 1 shows all of the picture. */
  readonly scale: number;
  /** Where the left top corner of the picture lies, in fractions of the frame; never right of or below its own. */
  readonly left: number;
  readonly top: number;
}

export const WHOLE: Zoom = { scale: 1, left: 0, top: 0 };
const MOST = 8;

/** Scales by `factor` so that what lies under `at`, a fraction of the frame, stays there. */
export function zoomAt(zoom: Zoom, factor: number, at: Point): Zoom {
  const scale = Math.min(MOST, Math.max(1, zoom.scale * factor));
  const grown = scale / zoom.scale;
  return bounded({ scale, left: at.x - (at.x - zoom.left) * grown, top: at.y - (at.y - zoom.top) * grown });
}

/** Moves the picture by fractions of the frame. */
export function panBy(zoom: Zoom, dx: number, dy: number): Zoom {
  return bounded({ scale: zoom.scale, left: zoom.left + dx, top: zoom.top + dy });
}

/** The frame is always full of picture. */
function bounded({ scale, left, top }: Zoom): Zoom {
  const within = (offset: number): number => Math.min(0, Math.max(1 - scale, offset)) || 0;
  return { scale, left: within(left), top: within(top) };
}
