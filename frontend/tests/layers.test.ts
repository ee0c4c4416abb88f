import { describe, expect, it } from "vitest";

/** The folders, from the top; those of one row import nothing of each other. The files of `src` itself
 * that everybody uses stand in their row by name. */
const ROWS: readonly (readonly string[])[] = [
  ["main.tsx", "bundle.tsx"],
  ["app.tsx", "bundle"],
  ["pages"],
  ["watch"],
  ["record", "review", "lists", "runs", "team", "editing"],
  ["viewer", "tables", "changes"],
  ["library"],
  ["components"],
  ["user.ts"],
  ["api.ts"],
  ["router.ts"],
  ["i18n", "navigation.ts"],
  ["generated"],
];

const SOURCES = import.meta.glob<string>("../src/**/*.{ts,tsx,css}", { query: "?raw", import: "default", eager: true });
const files = Object.entries(SOURCES).map(([path, text]) => ({ path: path.replace("../src/", ""), text }));
const scripts = files.filter(({ path }) => !path.endsWith(".css"));
/** The look of everything, and the font of the app that a server gives out. */
const SHARED: readonly string[] = ["styles.css", "fonts.css"];
const sheets = files.filter(({ path }) => path.endsWith(".css") && !SHARED.includes(path));

const unit = (path: string): string => path.split("/")[0] ?? path;
const rowOf = (path: string): number => ROWS.findIndex((row) => row.includes(unit(path)));

/** What a file imports, as paths below `src` without their endings. */
function importsOf({ path, text }: { path: string; text: string }): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]*)"/g)].map(([, name = ""]) => {
    const parts = [...path.split("/").slice(0, -1), ...name.split("/")];
    const way: string[] = [];
    for (const part of parts) {
      if (part === "..") way.pop();
      else if (part !== ".") way.push(part);
    }
    return way.join("/");
  });
}

const fileOf = (name: string): string => files.find(({ path }) => path.replace(/(\/index)?\.(ts|tsx|css)$/, "") === name.replace(/\.css$/, ""))?.path ?? name;

describe("the layers of the frontend", () => {
  it("have a row for every file", () => {
    expect(files.filter(({ path }) => !SHARED.includes(path) && rowOf(path) < 0).map(({ path }) => path)).toEqual([]);
  });

  it("import downwards, and nothing in a row imports its neighbour", () => {
    const wrong = scripts.flatMap((file) =>
      importsOf(file)
        .filter((name) => !SHARED.includes(name))
        .map((name) => fileOf(name))
        .filter((other) => unit(other) !== unit(file.path) && rowOf(other) <= rowOf(file.path))
        .map((other) => `${file.path} imports ${other}`),
    );
    expect(wrong).toEqual([]);
  });

  it("have no page and no part of more than 200 lines", () => {
    const long = scripts.filter(({ path, text }) => !path.startsWith("generated/") && !path.startsWith("i18n/") && text.split("\n").length > 201);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

describe("a folder's styles", () => {
  it("hold for the pages that take them, and for nothing else", () => {
    for (const { path, text } of sheets) {
      const root = `.${unit(path)}-pages`;
      const rules = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}/g, "").trim();
      expect(rules.startsWith(`${root} {`), path).toBe(true);
      expect(closes(rules), path).toBe(rules.length - 1);
    }
  });

  it("are taken by the pages that name them in their class", () => {
    for (const page of scripts.filter(({ path }) => path.startsWith("pages/"))) {
      const taken = importsOf(page).filter((name) => name.endsWith(".css")).map((name) => `${unit(name)}-pages`).sort();
      const named = [...new Set(page.text.match(/\b[a-z]+-pages\b/g))].sort();
      expect(named, page.path).toEqual(taken);
    }
  });
});

/** Where the first rule ends. */
function closes(rules: string): number {
  let depth = 0;
  for (const [at, letter] of [...rules].entries()) {
    if (letter === "{") depth += 1;
    if (letter === "}" && --depth === 0) return at;
  }
  return -1;
}
