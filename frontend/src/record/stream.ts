// The live screen: frames from their socket onto a canvas, the newest first. Two frames are requested
// ahead, so that a slow page gets fewer frames and never old ones. Where the browser plays no H.264,
// and none does on a page that came over plain HTTP from elsewhere, the server sends stills.

import { signal, type ReadonlySignal } from "@preact/signals";

import type { Size } from "../components/geometry";
import { Link } from "./link";
import { readCodec, decodeFrame, type Frame } from "./protocol";

export class LiveStream {
  private readonly size_ = signal<Size | null>(null);
  /** Of the newest picture in its own pixels; null before the first. */
  readonly size: ReadonlySignal<Size | null> = this.size_;
  private readonly unplayable_ = signal(false);
  /** True where the device sends video that this browser does not play, so that the server sends stills. */
  readonly unplayable: ReadonlySignal<boolean> = this.unplayable_;
  private readonly painted_ = signal<number | null>(null);
  /** The id of the frame that is seen now. */
  readonly painted: ReadonlySignal<number | null> = this.painted_;

  private readonly link: Link;
  private canvas: HTMLCanvasElement | null = null;
  private waiting: Frame | null = null;
  private decoding = false;
  private video: VideoDecoder | null = null;
  /** What came while the decoder was made ready; null at other times. */
  private early: Frame[] | null = null;
  private readonly videoIds = new Map<number, number>();
  private played = false;
  private ended = false;

  constructor(url: string) {
    this.link = new Link(url, {
      onOpen: () => {
        this.resetVideo();
        if (this.unplayable_.peek()) this.link.send({ t: "still" });
      },
      onMessage: (data) => data instanceof ArrayBuffer && this.take(data),
    });
  }

  paintOn(canvas: HTMLCanvasElement | null): void {
    this.canvas = canvas;
    if (canvas) this.link.send({ t: "key" }); // the last picture may have come before the canvas
  }

  close(): void {
    this.ended = true;
    this.link.close();
    this.resetVideo();
  }

  private take(bytes: ArrayBuffer): void {
    const frame = decodeFrame(bytes);
    if (!frame) {
      this.credit();
      return;
    }
    if (frame.kind === "h264") {
      this.play(frame);
      return;
    }
    if (this.waiting) this.credit(); // a newer one takes its place
    this.waiting = frame;
    if (!this.decoding) void this.decodeWaiting();
  }

  private async decodeWaiting(): Promise<void> {
    this.decoding = true;
    for (let frame = this.waiting; frame && !this.ended; frame = this.waiting) {
      this.waiting = null;
      const bitmap = await createImageBitmap(new Blob([frame.payload], { type: `image/${frame.kind}` })).catch(() => null);
      if (bitmap) {
        this.paint(bitmap, { width: bitmap.width, height: bitmap.height }, frame.id);
        bitmap.close();
      }
      this.credit();
    }
    this.decoding = false;
  }

  private play(frame: Frame): void {
    if (this.unplayable_.peek()) this.credit();
    else if (this.early) this.early.push(frame);
    else if (this.video?.state === "configured") this.decode(frame, this.video);
    else {
      const codec = frame.alone ? readCodec(frame.payload) : null;
      if (codec) void this.startVideo(codec, frame);
      else this.skip();
    }
  }

  private skip(): void {
    this.link.send({ t: "key" });
    this.credit();
  }

  private decode(frame: Frame, video: VideoDecoder): void {
    const timestamp = Math.round(frame.timeMs * 1000); // chunks keep whole microseconds only
    this.videoIds.set(timestamp, frame.id);
    video.decode(new EncodedVideoChunk({ type: frame.alone ? "key" : "delta", timestamp, data: frame.payload }));
  }

  private async startVideo(codec: string, first: Frame): Promise<void> {
    const config = { codec, optimizeForLatency: true };
    const early = [first];
    this.early = early;
    const plays = "VideoDecoder" in globalThis && (await VideoDecoder.isConfigSupported(config).catch(() => null))?.supported;
    if (this.ended || this.early !== early) return; // it was restarted meanwhile
    this.resetVideo();
    if (!plays) {
      this.askForStills();
      for (const _ of early) this.credit();
      return;
    }
    this.video = new VideoDecoder({
      output: (picture) => {
        this.played = true;
        const id = this.videoIds.get(picture.timestamp);
        this.videoIds.delete(picture.timestamp);
        if (id !== undefined) this.paint(picture, { width: picture.displayWidth, height: picture.displayHeight }, id);
        picture.close();
        this.credit();
      },
      error: () => {
        for (let lost = this.videoIds.size; lost > 0; lost--) this.credit();
        this.resetVideo();
        if (this.played) this.link.send({ t: "key" });
        else this.askForStills(); // it promised more than it can do
      },
    });
    this.video.configure(config);
    for (const frame of early) this.decode(frame, this.video);
  }

  private askForStills(): void {
    this.unplayable_.value = true;
    this.link.send({ t: "still" });
  }

  private resetVideo(): void {
    if (this.video && this.video.state !== "closed") this.video.close();
    this.video = null;
    this.early = null;
    this.videoIds.clear();
  }

  private paint(picture: CanvasImageSource, size: Size, id: number): void {
    const canvas = this.canvas;
    if (!canvas) return;
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    const known = this.size_.value;
    if (known?.width !== size.width || known.height !== size.height) this.size_.value = size;
    canvas.getContext("2d", { alpha: false })?.drawImage(picture, 0, 0, size.width, size.height);
    this.painted_.value = id;
  }

  private credit(): void {
    this.link.send({ t: "credit", n: 1 });
  }
}
