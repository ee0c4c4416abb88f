/** Seeded pseudo-random numbers: the same seed text gives the same phone on every machine.
 *
 * The generator is sfc32 (Chris Doty-Humphrey's PractRand), seeded by FNV-1a hashes of the text.
 */

function fnv(text, basis) {
  let hash = basis >>> 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619)
  return hash >>> 0
}

/** A generator: `random()` is in [0, 1); the helpers hang on it. Dates are ms since epoch. */
export function createRandom(seed) {
  const text = String(seed)
  let a = fnv(text, 2166136261)
  let b = fnv(text, 40503)
  let c = fnv(text, 2654435769)
  let counter = 1

  const random = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum | 0
    return (sum >>> 0) / 4294967296
  }
  // The first outputs still resemble the seed.
  for (let i = 0; i < 15; i++) random()

  /** A whole number from low to high, both included. */
  random.int = (low, high) => low + Math.floor(random() * (high - low + 1))
  random.chance = (probability) => random() < probability
  random.pick = (items) => items[Math.floor(random() * items.length)]
  /** A new array; the given one stays as it is. */
  random.shuffle = (items) => {
    const mixed = [...items]
    for (let i = mixed.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[mixed[i], mixed[j]] = [mixed[j], mixed[i]]
    }
    return mixed
  }
  /** `count` different items, in random order. */
  random.sample = (items, count) => random.shuffle(items).slice(0, count)
  /** A moment between two others, on a whole minute. */
  random.date = (from, to) => Math.floor((from + random() * (to - from)) / 60000) * 60000
  return random
}
