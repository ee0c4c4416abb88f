// An attempt that a person has taken over: what is done on its live screen, one action after the other. An
// action is sent once the one before was done.

import { computed, signal } from "@preact/signals";

import { ApiError, post } from "../api";
import { notify, notifyError } from "../components/notices";
import type { LiveView } from "../generated/api";
import { t } from "../i18n";
import type { Acting } from "../record/livescreen";
import { freshKey, type UserAction } from "../record/protocol";
import { isMine } from "./attempts";

export class HeldScreen implements Acting {
  private readonly shown = signal<LiveView | null>(null);
  readonly elements = { point: (): void => undefined, pointed: signal(null) };
  readonly state = computed(() => (this.shown.value?.screen ? { keys: this.shown.value.screen.keys } : null));
  readonly live = computed(() => this.shown.value?.state === "taken" && isMine(this.shown.value));
  /** How many actions were not done yet. */
  readonly pending = signal(0);

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
  }

  act(action: UserAction, screen: number): void {
    this.waiting.push({ key: freshKey(), screen, action });
    this.pending.value = this.waiting.length;
    if (this.waiting.length === 1) this.send();
  }

  notify(): void {
    // The path of a finger is kept of recordings alone.
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
}
