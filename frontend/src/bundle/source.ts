// Reads from the files of a static copy: data that its scripts assign, pictures beside them. It answers
// the routes of the server, so that pages need not know the difference.

import { ApiError, type ApiSource } from "../api";
import type { Query } from "../router";
import type { MatrixView, PairView, RunSummary, SampleDetail, SampleView, TreeView } from "../generated/api";
import { countFacets, filterPage, type Listed } from "./list";
import { filterRows, pageRows, parseRowFilter, type RowFilter } from "../runs/rowfilter";

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
      case "api/episodes/facets":
        return countFacets((await read("episodes", text("run"))) as Listed, query);
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
      case "api/run/rows":
        return pageRows(await rowsOf(text("name")), rowFilter(query), Number(query["page"] ?? 0));
      case "api/run/sample":
        return sampleOf(text("name"), text("key"), rowFilter(query));
      case "api/compare":
        return read("compare", text("a"), text("b"));
      case "api/matrix":
        return matrixOf(JSON.parse(text("runs")) as string[]);
      default:
        throw missing(path);
    }
  },
  image: (path, query) => {
    const name = String(query[path === "api/run/picture" ? "file" : "sha"] ?? "");
    if (query["w"] !== undefined) return `thumbs/${name}.jpg`;
    return `pictures/${name}.${bundle().index.pictures[name] ?? "png"}`;
  },
  file: () => null,
};

async function rowsOf(run: string): Promise<readonly SampleView[]> {
  return ((await read("rows", run)) as { readonly rows: readonly SampleView[] }).rows;
}

function rowFilter(query: Query): RowFilter {
  return parseRowFilter(new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value ?? "")])));
}

async function sampleOf(run: string, key: string, filter: RowFilter): Promise<SampleDetail> {
  const rows = await rowsOf(run);
  const row = rows.find((one) => one.key === key);
  if (!row) throw missing(key);
  const logs = (await read("log", run)) as { readonly rows: Readonly<Record<string, SampleDetail["log"]>> };
  const found = filterRows(rows, filter);
  const place = found.indexOf(row);
  const attempts = rows.filter((one) => one.sample === row.sample);
  return {
    row,
    log: logs.rows[key] ?? null,
    place: place < 0 ? null : place,
    found: found.length,
    before: (place > 0 && found[place - 1]?.key) || null,
    after: (place >= 0 && found[place + 1]?.key) || null,
    attempts,
  };
}

/** Every pair of the runs, as the server compares them (evaluate/compare.py). */
async function matrixOf(names: readonly string[]): Promise<MatrixView> {
  const listed = (bundle().index.runs.runs as readonly RunSummary[]).filter((run) => names.includes(run.name));
  const both = names.flatMap((before, at) => names.slice(at + 1).map((after) => [before, after] as const));
  const pairs = await Promise.all(both.map(async ([before, after]) => (await read("pair", before, after)) as PairView));
  const corrected = holm(pairs.map((pair) => pair.p_value));
  return {
    runs: names.flatMap((name) => listed.filter((run) => run.name === name)),
    pairs: pairs.map((pair, at) => ({ ...pair, holm_p: corrected[at] ?? 1 })),
  };
}

/** The p-values as Holm corrects them, in the order given. */
export function holm(values: readonly number[]): number[] {
  const corrected = values.map(() => 1);
  const order = values.map((_, at) => at).sort((one, other) => (values[one] ?? 1) - (values[other] ?? 1));
  let largest = 0;
  for (const [rank, at] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (values.length - rank) * (values[at] ?? 1)));
    corrected[at] = largest;
  }
  return corrected;
}

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
