// A socket that reconnects with exponential backoff.

import { signal, type ReadonlySignal } from "@preact/signals";

export type LinkState = "connecting" | "open" | "lost";

export interface LinkHandlers {
  readonly onOpen: (socket: WebSocket) => void;
  readonly onMessage: (data: string | ArrayBuffer) => void;
  /** Called before each try after one that never opened. */
  readonly onRefused?: () => void;
}

const FIRST_MS = 100;
const LONGEST_MS = 3000;

/** How long to wait before try number `tries` (from 0), in milliseconds. */
export function backoffMs(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
}

export class Link {
  private readonly shown = signal<LinkState>("connecting");
  readonly state: ReadonlySignal<LinkState> = this.shown;
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private tries = 0;
  private closed = false;

  constructor(
    private readonly address: string,
    private readonly handlers: LinkHandlers,
  ) {
    this.connect();
    addEventListener("online", this.hurry);
  }

  /** Sends now; returns whether the socket is open. */
  send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    removeEventListener("online", this.hurry);
    this.socket?.close();
  }

  private readonly hurry = (): void => {
    if (this.shown.value === "open" || this.socket?.readyState === WebSocket.CONNECTING) return;
    this.tries = 0;
    clearTimeout(this.timer);
    this.connect();
  };

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.tries = 0;
      this.shown.value = "open";
      this.handlers.onOpen(socket);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.handlers.onMessage(event.data);
    socket.onclose = () => {
      if (this.closed) return;
      this.shown.value = "lost";
      if (!opened) this.handlers.onRefused?.();
      this.timer = setTimeout(() => this.connect(), backoffMs(this.tries++));
    };
  }
}
