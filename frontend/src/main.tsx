// The app that a tapwright server gives to browsers.

import { startApp } from "./app";
import { may, me, startMe } from "./team/me";
import { Who } from "./team/who";

startApp({
  hash: false,
  user: <Who />,
  links: [
    { parts: [], word: "nav.record", owns: ["", "record"] },
    { parts: ["episodes"], word: "nav.episodes", owns: ["episodes"] },
    { parts: ["review"], word: "nav.review", owns: ["review"] },
    { parts: ["runs"], word: "nav.runs", owns: ["runs", "compare"] },
    { parts: ["queue"], word: "nav.queue", owns: ["queue"], shown: () => me.value?.team === true && may("annotator") },
    { parts: ["team"], word: "nav.team", owns: ["team"], shown: () => me.value?.team === true && may("admin") },
  ],
  routes: [
    { pattern: "", load: () => import("./pages/home") },
    { pattern: "record", load: () => import("./pages/home") },
    { pattern: "record/:session", load: () => import("./pages/record") },
    { pattern: "episodes", load: () => import("./pages/episodes") },
    { pattern: "episodes/:id", load: () => import("./pages/episode") },
    { pattern: "review", load: () => import("./pages/review") },
    { pattern: "runs", load: () => import("./pages/runs") },
    { pattern: "runs/:name", load: () => import("./pages/run") },
    { pattern: "compare", load: () => import("./pages/compare") },
    { pattern: "team", load: () => import("./pages/team") },
    { pattern: "queue", load: () => import("./pages/queue") },
    { pattern: "login", load: () => import("./pages/login") },
  ],
});
startMe();
