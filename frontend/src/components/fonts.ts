// Chromium remembers how it drew a word, also where it drew boxes because the font had not come yet.

/** Has every word drawn again when a font has come: under another way of rendering none is remembered. */
export function startFonts(): void {
  document.fonts.addEventListener("loadingdone", () => {
    document.documentElement.style.textRendering = "optimizeLegibility";
  });
}
