// Reads from the files of a static copy: data that its scripts assign, pictures beside them. It answers
// the routes of the server, so that pages need not know the difference.

import { ApiError, type ApiSource } from "../api";
import type { Query } from "../router";
import type { EntryView, EpisodePage, TreeView } from "../generated/api";

interface Index {
  readonly version: string;
  readonly files: Readonly<Record<string, number>>;
  readonly pictures: Readonly<Record<string, string>>;
  readonly runs: { readonly runs: readonly unknown[] };
}
interface Bundle {
  readonly index: Index;
  readonly data: Record<number, unknown>;
}
interface Listed {
  readonly store: string;
  readonly episodes: readonly EntryView[];
}

const PAGE = 60;
const loading = new Map<number, Promise<void>>();

function bundle(): Bundle {
  return (globalThis as unknown as { readonly TAPWRIGHT: Bundle }).TAPWRIGHT;
}

/** What a bundle has, for the choice of its first page. */
export function has(what: "episodes" | "runs"): boolean {
  const { files, runs } = bundle().index;
  return what === "runs" ? runs.runs.length > 0 : Object.keys(files).some((key) => key.startsWith('["episode","",'));
}

export const bundled: ApiSource = {
  get: async (path, query) => {
    const text = (name: string): string => String(query[name] ?? "");
    switch (path) {
      case "api/episodes":
        return filterPage((await read("episodes", text("run"))) as Listed, query);
      case "api/episode":
        return read("episode", text("run"), text("id"));
      case "api/tree": {
        const { trees } = (await read("trees", text("run"), text("episode"))) as { readonly trees: readonly TreeView[] };
        return trees[Number(query["step"] ?? 0)];
      }
      case "api/runs":
        return bundle().index.runs;
      case "api/run":
        return read("run", text("name"));
      case "api/run/sample": {
        const { rows } = (await read("log", text("name"))) as { readonly rows: Readonly<Record<string, unknown>> };
        return { log: rows[text("key")] };
      }
      case "api/compare":
        return read("compare", text("a"), text("b"));
      default:
        throw missing(path);
    }
  },
  image: (path, query) => {
    const name = String(query[path === "api/run/picture" ? "file" : "sha"] ?? "");
    if (query["w"] !== undefined) return `thumbs/${name}.jpg`;
    return `pictures/${name}.${bundle().index.pictures[name] ?? "png"}`;
  },
};

async function read(...key: readonly string[]): Promise<unknown> {
  const number = bundle().index.files[JSON.stringify(key)];
  if (number === undefined) throw missing(key.join(" "));
  let loaded = loading.get(number);
  if (!loaded) {
    loaded = run(`data/${number}.js`);
    loading.set(number, loaded);
  }
  await loaded;
  return bundle().data[number];
}

function run(address: string): Promise<void> {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => done();
    script.onerror = () => failed(missing(address));
    document.head.append(script);
  });
}

function missing(what: string): ApiError {
  return new ApiError(404, "TW156", `This copy does not hold ${what}.`, "");
}

/** A page of a list that is loaded whole, filtered and sorted as the server does it (store/catalog.py). */
export function filterPage({ store, episodes }: Listed, query: Query): EpisodePage {
  const value = (name: string): string => String(query[name] ?? "");
  const text = value("q").toLowerCase();
  const found = episodes.filter(
    (one) =>
      (text === "" || `${one.id}\n${one.task}\n${one.instruction}`.toLowerCase().includes(text)) &&
      (value("app") === "" || one.apps.some((app) => app === value("app") || app.endsWith(`.${value("app")}`))) &&
      (value("task") === "" || one.task === value("task")) &&
      (value("outcome") === "" || one.outcome === value("outcome")) &&
      (value("agent") === "" || one.agent === value("agent")),
  );
  const sort = value("sort");
  if (sort === "longest") found.sort((one, other) => other.steps - one.steps);
  else if (sort === "shortest") found.sort((one, other) => one.steps - other.steps);
  else if (sort === "task") found.sort((one, other) => (one.task < other.task ? -1 : one.task > other.task ? 1 : 0));
  else if (sort !== "oldest") found.reverse();
  const page = Number(query["page"] ?? 0);
  return {
    total: episodes.length,
    found: found.length,
    page,
    pages: Math.max(1, Math.ceil(found.length / PAGE)),
    store,
    facets: {
      task: counted(episodes, (one) => [one.task]),
      app: counted(episodes, (one) => one.apps),
      outcome: counted(episodes, (one) => [one.outcome]),
      agent: counted(episodes, (one) => [one.agent]),
    },
    unreadable: [],
    episodes: found.slice(page * PAGE, (page + 1) * PAGE),
  };
}

function counted(episodes: readonly EntryView[], of: (one: EntryView) => readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of episodes) for (const name of of(one)) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
