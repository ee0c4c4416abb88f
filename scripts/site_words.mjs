// Marks the ends of Chinese words in a search index: stdin to stdout, as site_hooks.py asks.
// Node knows the words (ICU's dictionary), so that no package for it is needed.
import { readFileSync } from "node:fs"

const segmenter = new Intl.Segmenter("zh", { granularity: "word" })
const marked = text =>
  text.replace(/\p{Script=Han}+/gu, run =>
    [...segmenter.segment(run)].map(({ segment }) => segment).join("\u200b"))

const index = JSON.parse(readFileSync(0, "utf8"))
for (const doc of index.docs) {
  doc.title = marked(doc.title)
  doc.text = marked(doc.text)
}
process.stdout.write(JSON.stringify(index))
