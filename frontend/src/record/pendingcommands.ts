// Commands that the server has not answered yet, kept in the session storage so that a reload does not
// lose them.

import type { Command } from "./protocol";

/** What is used of sessionStorage. */
export type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export class Pending {
  private readonly messages = new Map<string, Command>();

  constructor(
    private readonly storage: Kept,
    private readonly name: string,
  ) {
    for (const message of readAll(storage.getItem(name))) this.messages.set(message.key, message);
  }

  get count(): number {
    return this.messages.size;
  }

  /** In the order in which they were made. */
  all(): Command[] {
    return [...this.messages.values()];
  }

  add(message: Command): void {
    this.messages.set(message.key, message);
    this.keep();
  }

  /** The server has answered; returns what was sent, unless it is answered already. */
  settle(key: string): Command | undefined {
    const message = this.messages.get(key);
    if (this.messages.delete(key)) this.keep();
    return message;
  }

  private keep(): void {
    if (this.messages.size === 0) this.storage.removeItem(this.name);
    else this.storage.setItem(this.name, JSON.stringify(this.all()));
  }
}

function readAll(text: string | null): Command[] {
  if (text === null) return [];
  try {
    const messages: unknown = JSON.parse(text);
    return Array.isArray(messages) ? messages.filter((one): one is Command => typeof one?.key === "string") : [];
  } catch {
    return []; // another program wrote under our name
  }
}
