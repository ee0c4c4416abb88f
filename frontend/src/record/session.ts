// An open demonstration on the page: the last state of the server, the pending commands, and a method
// to send each.

import { computed, signal } from "@preact/signals";

import { ApiError, get, socketUrl } from "../api";
import { notifyError } from "../components/notices";
import { Link } from "./link";
import { Pending } from "./pendingcommands";
import type { JudgeView, StateMessage, StepView } from "../generated/api";
import { decodeMessage, DISK_CODE, freshKey, type UserAction, type ServerMessage, type Notification, type Command, type NewCommand } from "./protocol";

export class Session {
  readonly state = signal<StateMessage | null>(null);
  /** How many commands the server has not answered. */
  readonly pending = signal(0);
  /** What the server refused last: words that were typed are given back. */
  readonly refused = signal<Command | null>(null);
  /** True when the server has no such session any more. */
  readonly gone = signal(false);
  /** Who released the device; null while nobody has. */
  readonly released = signal<string | null>(null);
  /** Whether this tab controls the session, and no later one. */
  readonly controls = signal(true);
  readonly link;
  /** Whether the person may act on the device now. */
  readonly live = computed(() => {
    const state = this.state.value;
    return (
      state !== null &&
      this.link.state.value === "open" &&
      !state.paused &&
      state.connected &&
      state.interrupted === null &&
      this.controls.value &&
      state.outcome === null &&
      state.disk === "" &&
      this.released.value === null
    );
  });

  private readonly waiting: Pending;
  /** Whether the pending commands have to be sent again after a reconnect. */
  private needsResend = true;

  constructor(readonly id: string) {
    this.waiting = new Pending(sessionStorage, `tapwright.pending.${id}`);
    this.pending.value = this.waiting.count;
    this.link = new Link(socketUrl("ws/session", { session: id }), {
      onOpen: () => this.greet(),
      onMessage: (data) => typeof data === "string" && this.receive(decodeMessage(data)),
      onRefused: () => void this.lookWhetherGone(),
    });
  }

  close(): void {
    this.link.close();
  }

  /** Sends a command, which is executed exactly once. */
  send(command: NewCommand): void {
    const message = { ...command, key: freshKey() };
    this.waiting.add(message);
    this.pending.value = this.waiting.count;
    this.link.send(message);
  }

  /** Acts on the device, on the frame that the user saw. */
  act(action: UserAction, frame: number, stroke?: number): void {
    this.send(stroke === undefined ? { t: "act", frame, action } : { t: "act", frame, stroke, action });
  }

  /** Brings the device back; not kept, since after a restart the person decides anew. */
  restore(): void {
    this.link.send({ t: "restore", key: freshKey() });
  }

  /** Takes the control back from a later tab. */
  takeControl(): void {
    this.link.send({ t: "hello" });
  }

  /** Sends every unanswered command again, as after a full disk. */
  retry(): void {
    for (const message of this.waiting.all()) this.link.send(message);
  }

  /** Sends a message that may get lost. */
  notify(message: Notification): void {
    this.link.send(message);
  }

  private greet(): void {
    this.needsResend = true;
    this.link.send({ t: "hello" });
  }

  /** After a reconnect, sends pending commands once the device is there and in place: before, they would be refused. */
  private catchUp(ready: boolean): void {
    if (!this.needsResend || !ready) return;
    this.needsResend = false;
    this.retry();
  }

  private receive(message: ServerMessage | null): void {
    switch (message?.t) {
      case "state":
        this.state.value = message;
        this.catchUp((message.connected && message.interrupted === null) || message.outcome !== null);
        break;
      case "saved":
        this.settle(message.key);
        this.change((state) => ({ steps: withStep(state.steps, message.step), undone: 0, said: [], judge: message.judge ?? state.judge }));
        break;
      case "done":
        this.settle(message.key);
        break;
      case "failed":
        if (message.key !== null && message.code !== DISK_CODE) this.refused.value = this.settle(message.key) ?? null;
        notifyError(new ApiError(0, message.code, message.message, message.hint, message.values));
        break;
      case "judge":
        this.change(() => ({ judge: message satisfies JudgeView }));
        break;
      case "device":
        this.change(() => ({
          connected: message.connected,
          message: message.message,
          interrupted: message.interrupted,
          restoring: message.restoring,
        }));
        this.catchUp(message.connected && message.interrupted === null);
        break;
      case "released":
        this.release(message.by);
        break;
      case "tab":
        this.controls.value = message.controls;
        break;
      case "disk":
        this.change(() => ({ disk: message.ok ? "" : message.message }));
        break;
    }
  }

  /** The server takes nothing more here until the demonstration is resumed. */
  private release(by: string): void {
    this.released.value = by;
    this.link.close();
  }

  /** There is nothing to come back to. */
  private leave(): void {
    this.gone.value = true;
    this.link.close();
  }

  private settle(key: string): Command | undefined {
    const message = this.waiting.settle(key);
    this.pending.value = this.waiting.count;
    return message;
  }

  private change(change: (state: StateMessage) => Partial<StateMessage>): void {
    const state = this.state.value;
    if (state) this.state.value = { ...state, ...change(state) };
  }

  private async lookWhetherGone(): Promise<void> {
    try {
      const open = await get("api/sessions");
      const mine = open.find((one) => one.session === this.id);
      if (mine === undefined) this.leave();
      if (mine?.released) this.release(mine.released);
    } catch (error) {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403)) this.leave();
    }
  }
}

/** The steps with one that was saved: at its place, or new at the end. */
export function withStep(steps: readonly StepView[], step: StepView): StepView[] {
  return [...steps.slice(0, step.index), step, ...steps.slice(step.index + 1)];
}
