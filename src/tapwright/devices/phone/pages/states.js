/** The state of the apps and of the notifications: seeded on first access, read and written by dotted paths. */

import { apps } from "./apps/index.js"
import { notifications } from "./notifications.js"
import { createRandom } from "./random.js"

/** When every phone starts: Saturday 2026-03-14 09:41:00 UTC. */
export const START = Date.UTC(2026, 2, 14, 9, 41, 0)

/** All that has a state, by its `id` and `seed`. */
export const stores = [...apps, notifications]

/** Every store's state by id. */
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
  for (const store of stores) {
    Object.defineProperty(all, store.id, {
      enumerable: true,
      configurable: true,
      get() {
        const value = JSON.parse(seedText(store, language))
        Object.defineProperty(all, store.id, { value, enumerable: true, configurable: true, writable: true })
        return value
      },
    })
  }
  return all
}

function seedText(store, language) {
  if (!seeded.has(store.id)) {
    const seededState = (id) => JSON.parse(seedText(stores.find((one) => one.id === id), language))
    seeded.set(store.id, JSON.stringify(store.seed(createRandom(`${seededFor}/${store.id}`), language, START, seededState)))
  }
  return seeded.get(store.id)
}

export function assign(path, value) {
  const keys = path.split(".")
  const last = keys.pop()
  let place = states
  for (const key of keys) place = place[key] ??= {}
  place[last] = value
}

/** What is at `path` as JSON, "null" if nothing is: as text it leaves the page in half the time that a value takes. */
export function jsonAt(path) {
  let value = states
  for (const key of path ? path.split(".") : []) value = value?.[key]
  return value === undefined ? "null" : JSON.stringify(value)
}
