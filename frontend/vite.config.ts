// Two builds: the app (modules, pages loaded when they are opened) and, with `--mode bundle`, one
// classic script that runs from file://, where a browser loads no modules.

import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const STATIC = "../src/tapwright/web/static";
const SERVER = process.env["TAPWRIGHT_SERVER"] ?? "http://127.0.0.1:8000";

const proxied = { target: SERVER, ws: true, changeOrigin: true, rewriteWsOrigin: true };

/** The server writes <base> into the document that it gives out; here nobody else would. */
const based: Plugin = {
  name: "base",
  apply: "serve",
  transformIndexHtml: () => [{ tag: "base", attrs: { href: "/" }, injectTo: "head-prepend" }],
};

export default defineConfig(({ mode }) =>
  mode === "bundle"
    ? {
        base: "./",
        publicDir: false,
        build: {
          outDir: `${STATIC}/bundle`,
          emptyOutDir: true,
          cssCodeSplit: false,
          lib: { entry: "src/bundle.tsx", formats: ["iife"], name: "tapwright", fileName: () => "bundle.js", cssFileName: "bundle" },
        },
      }
    : {
        base: "./",
        plugins: [based],
        build: { outDir: STATIC, emptyOutDir: true, license: { fileName: "licenses.md" }, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
        test: { css: true }, // a test reads them
        server: { proxy: { "/api": proxied, "/ws": proxied } },
      },
);
