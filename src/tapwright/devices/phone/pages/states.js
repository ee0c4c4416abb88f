/** The state of the apps: seeded on first access, read and written by dotted paths. */

import { apps } from "./apps/index.js"
import { createRandom } from "./random.js"

/** When every phone starts: Saturday 2026-03-14 09:41:00 UTC. */
export const START = Date.UTC(2026, 2, 14, 9, 41, 0)

/** Every app's state by id. */
export let states = {}

let randoms = new Map()
let seededFor = ""
/** Seeded states as JSON text by app id, for one seed and language; parsing is far cheaper than seeding. */
const seeded = new Map()

/** Starts all apps over with the data of a seed and language. */
export function resetStates(seed, language) {
  const name = `${seed}/${language}`
  if (name !== seededFor) seeded.clear()
  seededFor = name
  states = lazyStates(language)
  states.settings.language = language
  randoms = new Map(apps.map((app) => [app.id, createRandom(`${name}/${app.id}/later`)]))
}

/** The generator for what an app leaves to chance after it was seeded. */
export const randomOf = (appId) => randoms.get(appId)

function lazyStates(language) {
  const all = {}
  for (const app of apps) {
    Object.defineProperty(all, app.id, {
      enumerable: true,
      configurable: true,
      get() {
        const value = JSON.parse(seedText(app, language))
        Object.defineProperty(all, app.id, { value, enumerable: true, configurable: true, writable: true })
        return value
      },
    })
  }
  return all
}

function seedText(app, language) {
  if (!seeded.has(app.id)) seeded.set(app.id, JSON.stringify(app.seed(createRandom(`${seededFor}/${app.id}`), language, START)))
  return seeded.get(app.id)
}

export function assign(path, value) {
  const keys = path.split(".")
  const last = keys.pop()
  let place = states
  for (const key of keys) place = place[key] ??= {}
  place[last] = value
}

/** A copy of what is at `path`, null if nothing is. */
export function lookUp(path) {
  let value = states
  for (const key of path ? path.split(".") : []) value = value?.[key]
  return value === undefined ? null : JSON.parse(JSON.stringify(value))
}
