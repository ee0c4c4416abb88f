// An attempt that a person has taken over, as the live screen takes it: what it shows now, and what is done
// on it, one action after the other. An action is sent once the one before was done.

import { computed, signal } from "@preact/signals";

import { ApiError, imageUrl, post } from "../api";
import { notify, notifyError } from "../components/notices";
import type { Size } from "../components/geometry";
import type { LiveView } from "../generated/api";
import { t } from "../i18n";
import type { Acting } from "../record/livescreen";
import { freshKey, type UserAction } from "../record/protocol";
import { isMine } from "./attempts";

export class HeldScreen implements Acting {
  private readonly shown = signal<LiveView | null>(null);
  readonly size = signal<Size | null>(null);
  readonly painted = signal<number | null>(null);
  readonly unplayable = signal(false);
  readonly elements = { point: (): void => undefined, pointed: signal(null) };
  readonly state = computed(() => (this.shown.value?.screen ? { keys: this.shown.value.screen.keys } : null));
  readonly live = computed(() => this.shown.value?.state === "taken" && isMine(this.shown.value));
  /** How many actions were not done yet. */
  readonly pending = signal(0);

  private canvas: HTMLCanvasElement | null = null;
  private wanted = 0;
  private waiting: { readonly key: string; readonly screen: number; readonly action: UserAction }[] = [];

  constructor(
    private readonly run: string,
    private readonly episode: string,
    private readonly onSent: () => void,
  ) {}

  /** Takes what the server says of the attempt now. */
  update(view: LiveView | null): void {
    this.shown.value = view;
    const screen = view?.screen;
    if (!screen) return;
    const [first] = this.waiting;
    if (first && screen.done === first.key) {
      if (screen.refused) notify("error", t("watch.refused", { why: screen.refused }), "");
      this.waiting.shift();
      this.pending.value = this.waiting.length;
      this.send();
    }
    if (screen.number !== this.wanted) void this.paint(screen.number);
  }

  act(action: UserAction, screen: number): void {
    this.waiting.push({ key: freshKey(), screen, action });
    this.pending.value = this.waiting.length;
    if (this.waiting.length === 1) this.send();
  }

  notify(): void {
    // The path of a finger is kept of recordings alone.
  }

  paintOn(canvas: HTMLCanvasElement | null): void {
    this.canvas = canvas;
    if (canvas && this.wanted > 0) void this.paint(this.wanted);
  }

  private send(): void {
    const [first] = this.waiting;
    if (!first) return;
    post("api/live/act", { run: this.run, episode: this.episode, ...first }).then(this.onSent, (error: unknown) => {
      this.waiting = [];
      this.pending.value = 0;
      notifyError(error);
      if (!(error instanceof ApiError)) throw error;
    });
  }

  private async paint(number: number): Promise<void> {
    this.wanted = number;
    const picture = new Image();
    picture.src = imageUrl("api/live/screen", { run: this.run, episode: this.episode, number });
    try {
      await picture.decode();
    } catch {
      return; // the next one is there already
    }
    const { canvas } = this;
    if (this.wanted !== number || !canvas) return;
    const size = { width: picture.naturalWidth, height: picture.naturalHeight };
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    canvas.getContext("2d", { alpha: false })?.drawImage(picture, 0, 0);
    this.size.value = size;
    this.painted.value = number;
  }
}
