// How pages talk to the server: JSON in, JSON out, every address below <base>. A static copy without
// a server puts its own source in place with `useSource`.

import type { Query } from "./router";

/** What the server (or the way to it) refused, with its code, what happened and the way out. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Where pages read from. `picture` gives an address for an <img>. */
export interface Source {
  get(path: string, query: Query): Promise<unknown>;
  picture(path: string, query: Query): string;
}

/** The address of `path` below <base>, with percent-encoded values. */
export function address(path: string, query: Query = {}): string {
  const url = new URL(path, document.baseURI);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}

/** The same for a socket. */
export function socketAddress(path: string, query: Query = {}): string {
  return address(path, query).replace(/^http/, "ws");
}

const server: Source = {
  get: (path, query) => ask(path, query, { method: "GET" }),
  picture: address,
};

let source: Source = server;
let signedOut = (): void => undefined;

/** Calls `then` whenever the server says that nobody has signed in. */
export function whenSignedOut(then: () => void): void {
  signedOut = then;
}

/** Reads from somewhere else than the server. */
export function useSource(other: Source): void {
  source = other;
}

/** Reads `path`; T is what the server promises for it. */
export async function get<T>(path: string, query: Query = {}): Promise<T> {
  return (await source.get(path, query)) as T;
}

/** Sends a change. */
export async function post<T>(path: string, body: unknown, query: Query = {}): Promise<T> {
  return (await ask(path, query, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Tapwright": "1" },
    body: JSON.stringify(body),
  })) as T;
}

/** The address of a picture. */
export function picture(path: string, query: Query = {}): string {
  return source.picture(path, query);
}

async function ask(path: string, query: Query, request: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(address(path, query), { credentials: "same-origin", ...request });
  } catch {
    throw new ApiError(0, "offline", "", "");
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  if (response.status === 401 && path !== "api/login") signedOut();
  throw refusal(response.status, body);
}

/** An error out of what a refusing server answered, whatever that was. */
export function refusal(status: number, body: unknown): ApiError {
  const said = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const text = (name: string): string => (typeof said[name] === "string" ? said[name] : "");
  return new ApiError(status, text("code") || `HTTP ${status}`, text("message"), text("hint"));
}
