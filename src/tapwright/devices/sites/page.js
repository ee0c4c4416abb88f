// Runs in every page of a site before its own scripts.
(() => {
  // Chromium says nothing of such a download before the server has answered.
  let downloads = 0
  addEventListener("click", event => event.target.closest?.("a[download]") && downloads++, true)
  globalThis[Symbol.for("tapwright.downloads")] = () => {
    const clicked = downloads
    downloads = 0
    return clicked
  }
})()
