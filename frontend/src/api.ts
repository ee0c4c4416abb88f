// The client of the server's API: JSON in, JSON out, every address below <base>, with the types that
// are generated from the server's. A static copy without a server sets its own source with `setSource`.

import type { FileRoutes, GetRoutes, ImageRoutes, PostRoutes, Sockets } from "./generated/api";
import type { Values } from "./i18n/errors";
import type { Query } from "./router";

/** A value that may also be given as undefined wherever it may be left out. */
type Loose<T> = { [Name in keyof T]: Record<never, never> extends Pick<T, Name> ? T[Name] | undefined : T[Name] };
type QueryOf<Route> = Route extends { query: infer Given } ? Loose<Given> : never;
type AnswerOf<Route> = Route extends { answer: infer Answer } ? Answer : never;
type BodyOf<Route> = Route extends { body: infer Body } ? Body : never;
/** The argument `query` may be left out where no parameter is required. */
type QueryArgument<Route> = Record<never, never> extends QueryOf<Route> ? [query?: QueryOf<Route>] : [query: QueryOf<Route>];

/** An error of the server or of the connection to it: its code and values, and English words for the details. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly values: Values = {},
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Where pages read from; `image` returns an address for an <img>, `file` one to download from, if any. */
export interface ApiSource {
  get(path: string, query: Query): Promise<unknown>;
  image(path: string, query: Query): string;
  file(path: string, query: Query): string | null;
}

/** The address of `path` below <base>, with percent-encoded values. */
function url(path: string, query: Query): string {
  const found = new URL(path, document.baseURI);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) found.searchParams.set(name, String(value));
  return found.href;
}

/** The address of a WebSocket. */
export function socketUrl<Path extends keyof Sockets>(path: Path, query: QueryOf<Sockets[Path]>): string {
  return url(path, query as Query).replace(/^http/, "ws");
}

const server: ApiSource = {
  get: (path, query) => request(path, query, { method: "GET" }),
  image: url,
  file: url,
};

let source: ApiSource = server;
let onSignedOut = (): void => undefined;

/** Calls `handler` whenever the server answers that nobody has signed in. */
export function setSignedOutHandler(handler: () => void): void {
  onSignedOut = handler;
}

/** Reads from another source than the server. */
export function setSource(other: ApiSource): void {
  source = other;
}

/** Reads a route. */
export async function get<Path extends keyof GetRoutes>(
  path: Path,
  ...[query]: QueryArgument<GetRoutes[Path]>
): Promise<AnswerOf<GetRoutes[Path]>> {
  return (await source.get(path, (query ?? {}) as Query)) as AnswerOf<GetRoutes[Path]>;
}

/** Sends a change. */
export async function post<Path extends keyof PostRoutes>(path: Path, body: BodyOf<PostRoutes[Path]>): Promise<AnswerOf<PostRoutes[Path]>> {
  return (await request(path, {}, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Tapwright": "1" },
    body: JSON.stringify(body),
  })) as AnswerOf<PostRoutes[Path]>;
}

/** The address of a picture. */
export function imageUrl<Path extends keyof ImageRoutes>(path: Path, query: QueryOf<ImageRoutes[Path]>): string {
  return source.image(path, query as Query);
}

/** The address of a file to download; null where there is no server. */
export function fileUrl<Path extends keyof FileRoutes>(path: Path, query: QueryOf<FileRoutes[Path]>): string | null {
  return source.file(path, query as Query);
}

async function request(path: string, query: Query, options: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url(path, query), { credentials: "same-origin", ...options });
  } catch {
    throw new ApiError(0, "offline", "", "");
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  if (response.status === 401 && path !== "api/login") onSignedOut();
  throw toApiError(response.status, body);
}

/** The error in the body of a failed request, or one that names the status alone. */
export function toApiError(status: number, body: unknown): ApiError {
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const text = (name: string): string => (typeof fields[name] === "string" ? fields[name] : "");
  return new ApiError(status, text("code") || `HTTP ${status}`, text("message"), text("hint"), toValues(fields["values"]));
}

function toValues(given: unknown): Values {
  if (typeof given !== "object" || given === null) return {};
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === "string" || typeof value === "number"));
}
