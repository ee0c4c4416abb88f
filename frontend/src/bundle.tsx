// A static copy that opens from file://: pages that read from data beside them.

import { setSource } from "./api";
import { startApp } from "./app";
import { bundled, has } from "./bundle/source";
import { episodesSource } from "./library/search";

setSource(bundled);
startApp({
  hash: true,
  sources: has("episodes") ? [episodesSource] : [],
  links: [
    ...(has("episodes") ? [{ parts: ["episodes"], word: "nav.episodes", owns: ["episodes"] } as const] : []),
    ...(has("runs") ? [{ parts: ["runs"], word: "nav.runs", owns: ["runs", "compare", "matrix"] } as const] : []),
  ],
  routes: [
    { pattern: "", page: has("runs") ? "runs" : "episodes", load: () => (has("runs") ? import("./pages/runs") : import("./pages/episodes")) },
    { pattern: "episodes", page: "episodes", load: () => import("./pages/episodes") },
    { pattern: "episodes/:id", load: () => import("./pages/episode") },
    { pattern: "runs", page: "runs", load: () => import("./pages/runs") },
    { pattern: "runs/:name", load: () => import("./pages/run") },
    { pattern: "compare", load: () => import("./pages/compare") },
    { pattern: "matrix", load: () => import("./pages/matrix") },
  ],
});
