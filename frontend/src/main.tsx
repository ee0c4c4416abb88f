// The app that a tapwright server gives to browsers.

import { startApp } from "./app";
import "./fonts.css";
import { episodesSource, tasksSource } from "./library/search";
import { viewsSource } from "./lists/views";
import { hasRole, currentUser, watchUser } from "./user";
import { UserMenu } from "./team/usermenu";

startApp({
  hash: false,
  user: <UserMenu />,
  sources: [viewsSource, tasksSource, episodesSource],
  links: [
    { parts: [], word: "nav.record", owns: ["", "record"] },
    { parts: ["episodes"], word: "nav.episodes", owns: ["episodes", "takes"] },
    { parts: ["review"], word: "nav.review", owns: ["review"], shown: () => hasRole("reviewer") },
    { parts: ["runs"], word: "nav.runs", owns: ["runs", "compare", "matrix", "watch"], shown: () => hasRole("reviewer") },
    { parts: ["queue"], word: "nav.queue", owns: ["queue"], shown: () => currentUser.value?.team === true && hasRole("annotator") },
    { parts: ["team"], word: "nav.team", owns: ["team"], shown: () => currentUser.value?.team === true && hasRole("admin") },
  ],
  routes: [
    { pattern: "", load: () => import("./pages/home") },
    { pattern: "record", load: () => import("./pages/home") },
    { pattern: "record/:session", load: () => import("./pages/record") },
    { pattern: "episodes", load: () => import("./pages/episodes") },
    { pattern: "episodes/:id", load: () => import("./pages/episode") },
    { pattern: "review", load: () => import("./pages/review") },
    { pattern: "review/recordings", load: () => import("./pages/recordings") },
    { pattern: "review/recordings/:id", page: "recording", load: () => import("./pages/recording") },
    { pattern: "runs", load: () => import("./pages/runs") },
    { pattern: "runs/:name", load: () => import("./pages/run") },
    { pattern: "takes", load: () => import("./pages/takes") },
    { pattern: "watch", load: () => import("./pages/watch") },
    { pattern: "compare", load: () => import("./pages/compare") },
    { pattern: "matrix", load: () => import("./pages/matrix") },
    { pattern: "team", load: () => import("./pages/team") },
    { pattern: "queue", load: () => import("./pages/queue") },
    { pattern: "login", load: () => import("./pages/login") },
  ],
});
watchUser();
