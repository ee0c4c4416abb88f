/* Search: what a question asks for, and a worker for pages that were opened from a file.

   Browsers start no worker for file://, so a hidden frame runs the worker's script there. The theme
   waits for a key to go up, which no key does when text is pasted, dictated or written by hand. */
"use strict"
{
  const QUERY = 2 // the message by which the theme asks its worker
  const EMPTY = new Set(
    ("a about an and are as at be by can do does for from get have how i if in is it its me my of on or our " +
      "should tapwright that the there this to use want we what when where which why with you your").split(" "))
  const EMPTY_ZH = /请问|怎么样|怎么|怎样|如何|什么|哪里|多少|可以|我要|我想|[吗呢的要]/g

  /* Words that every page has say nothing, and each would find whatever begins with it. */
  const asked = question => {
    if (/["+:~^*]/.test(question)) return question
    const words = question.replace(EMPTY_ZH, " ").replace(/[?？]/g, " ").split(/\s+/).filter(Boolean)
    const kept = words.filter((word, at) => at === words.length - 1 || !EMPTY.has(word.toLowerCase()))
    return kept.length ? kept.join(" ") : question
  }

  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      this.frame.title = "search"
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.started = new Promise(resolve => {
        const script = inside.document.createElement("script")
        script.src = url
        script.onload = resolve
        inside.document.body.append(script)
      })
    }

    postMessage(data) {
      const inside = this.frame.contentWindow
      this.started.then(() => inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }

  const Base = location.protocol === "file:" ? FrameWorker : window.Worker
  window.Worker = class extends Base {
    postMessage(message) {
      super.postMessage(
        message?.type === QUERY ? { ...message, data: asked(message.data) } : message)
    }
  }

  document.addEventListener("input", ({ target }) => {
    if (target.matches(".md-search__input")) target.dispatchEvent(new KeyboardEvent("keyup"))
  })
}
