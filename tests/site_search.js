// Asks the site's search as a page does: by the theme's own worker, and by our script around it.
// node site_search.js SITE INDEX < questions.json: per question the pages that are found, best first.
"use strict"
const fs = require("node:fs")
const path = require("node:path")
const vm = require("node:vm")

const [site, index] = process.argv.slice(2)
const read = file => fs.readFileSync(file, "utf8")
const workers = path.join(site, "assets/javascripts/workers")
const [program] = fs.readdirSync(workers).filter(name => /^search\..*\.min\.js$/.test(name))

const answers = []
let listen
const inside = {
  console,
  addEventListener: (_, listener) => (listen = listener),
  postMessage: message => answers.push(message),
}
inside.self = inside
vm.runInNewContext(read(path.join(workers, program)), inside)

class Worker {
  postMessage(data) {
    listen({ data })
  }
}
const page = { location: { protocol: "https:" }, document: new EventTarget(), Worker, EventTarget }
page.window = page
vm.runInNewContext(read(path.join(site, "assets/iframe-worker.js")), page)
const worker = new page.Worker()

const ask = async message => {
  worker.postMessage(message)
  while (!answers.length) await new Promise(resolve => setImmediate(resolve))
  return answers.shift().data
}

const main = async () => {
  const { config, docs } = JSON.parse(read(index))
  await ask({ type: 0, data: { config, docs, options: {} } })
  const found = []
  for (const question of JSON.parse(read(0))) {
    const { items } = await ask({ type: 2, data: question })
    found.push(items.map(sections => sections[0].location))
  }
  process.stdout.write(JSON.stringify(found))
}
main()
