/* Chromium remembers how it drew a word, also where it drew boxes because the font had not come yet:
   under another way of rendering none is remembered. */
"use strict"
document.fonts.addEventListener("loadingdone", () => {
  document.documentElement.style.textRendering = "optimizeLegibility"
})
