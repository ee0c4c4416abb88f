// A screen that can be enlarged, moved and shown on the whole display. Its marks are enlarged with it.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Button } from "../components/button";
import type { Point } from "../components/geometry";
import { Screen } from "../components/screen";
import type { ScreenView } from "../generated/api";
import { t } from "../i18n";
import { panBy, WHOLE, zoomAt, type Zoom } from "./zoom";

const STEP = 1.5;
const MIDDLE: Point = { x: 0.5, y: 0.5 };

export interface PictureProps {
  readonly shot: ScreenView;
  readonly src: string;
  readonly label: string;
  readonly marks?: ComponentChildren;
  /** Over the picture, such as a second one. */
  readonly children?: ComponentChildren;
  /** Whether the keys + and - are this picture's. */
  readonly keys?: boolean;
  /** Where the pointer is, as a fraction of the screen; undefined when it has left. */
  readonly onHover?: (at: Point | undefined) => void;
  readonly onPick?: (at: Point) => void;
}

export function Picture({ shot, src, label, marks, children, keys = false, onHover, onPick }: PictureProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<Zoom>(WHOLE);
  const dragged = useRef<Point | null>(null);
  useWheel(frame, setZoom);
  const fraction = (event: PointerEvent | MouseEvent): Point => {
    const { left, top, width, height } = frame.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    return { x: ((event.clientX - left) / width - zoom.left) / zoom.scale, y: ((event.clientY - top) / height - zoom.top) / zoom.scale };
  };
  const move = (event: PointerEvent): void => {
    const from = dragged.current;
    if (!from) {
      onHover?.(fraction(event));
      return;
    }
    const { width, height } = frame.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1);
    setZoom(panBy(zoom, (event.clientX - from.x) / width, (event.clientY - from.y) / height));
    dragged.current = { x: event.clientX, y: event.clientY };
  };
  const full = (): void => void (document.fullscreenElement ? document.exitFullscreen() : frame.current?.closest(".picture")?.requestFullscreen());
  const bind = (key: string): { readonly keys?: string } => (keys ? { keys: key } : {});
  return (
    <div class="picture">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the list of elements and the buttons do the same by key */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list of elements does the same by key */}
      <div
        ref={frame}
        class={`shot${zoom.scale > 1 ? " enlarged" : ""}`}
        style={{ aspectRatio: `${shot.width} / ${shot.height}`, "--shape": String(shot.width / shot.height) }}
        onPointerDown={(event) => {
          if (zoom.scale === 1 || event.button !== 0) return;
          dragged.current = { x: event.clientX, y: event.clientY };
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onPointerMove={move}
        onPointerUp={() => { dragged.current = null; }}
        onPointerCancel={() => { dragged.current = null; }}
        onPointerLeave={() => onHover?.(undefined)}
        onClick={(event) => onPick?.(fraction(event))}
      >
        <div class="enlargement" style={{ transform: `translate(${100 * zoom.left}%, ${100 * zoom.top}%) scale(${zoom.scale})` }}>
          <Screen size={shot} src={src} label={label} marks={marks}>{children}</Screen>
        </div>
      </div>
      <div class="picture-tools">
        <Button label={t("zoom.in")} kind="quiet" bare icon="+" {...bind("+")} onPress={() => setZoom(zoomAt(zoom, STEP, MIDDLE))} />
        <Button label={t("zoom.out")} kind="quiet" bare icon="−" {...bind("-")} disabled={zoom.scale === 1} onPress={() => setZoom(zoomAt(zoom, 1 / STEP, MIDDLE))} />
        <Button label={t("zoom.whole")} kind="quiet" bare icon="=" {...bind("0")} disabled={zoom.scale === 1} onPress={() => setZoom(WHOLE)} />
        <Button label={t("zoom.full")} kind="quiet" bare icon="⤢" {...bind("F")} onPress={full} />
      </div>
    </div>
  );
}

/** Control with the wheel, which is also what a pinch on a touchpad sends, zooms at the pointer. */
function useWheel(frame: { readonly current: HTMLDivElement | null }, setZoom: (change: (zoom: Zoom) => Zoom) => void): void {
  useEffect(() => {
    const element = frame.current;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey || !element) return;
      event.preventDefault();
      const { left, top, width, height } = element.getBoundingClientRect();
      const at = { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
      setZoom((zoom) => zoomAt(zoom, Math.exp(-event.deltaY / 200), at));
    };
    // A listener of our own, because one that may prevent the browser's zoom must not be passive.
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  }, [frame, setZoom]);
}
