// Runs in every MiniWoB++ page before its own scripts. Time stands still except while `spend`
// lets it run, so that an agent may think for as long as it likes and an episode is the same on any
// machine. Of the browser's clocks only CSS animations go on by themselves.
(() => {
  const START = Date.UTC(2016, 11, 1, 12)
  const FRAME_MS = 16
  const RealDate = Date
  let now = 0
  let last = 0
  const timers = new Map()

  globalThis[Symbol.for("tapwright.frame")] = requestAnimationFrame.bind(globalThis)
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(START + now).toString(),
    construct: (target, given, as) =>
      Reflect.construct(target, given.length ? given : [START + now], as),
    get: (target, name) => (name === "now" ? () => START + now : Reflect.get(target, name)),
  })
  performance.now = () => now

  const add = (run, at, every) => {
    timers.set(++last, { id: last, run, at, every })
    return last
  }
  const wait = ms => Math.max(1, Number(ms) || 0)
  globalThis.setTimeout = (run, ms, ...given) => add(() => run(...given), now + wait(ms), 0)
  globalThis.setInterval = (run, ms, ...given) =>
    add(() => run(...given), now + wait(ms), wait(ms))
  globalThis.requestAnimationFrame = run =>
    add(() => run(now), (Math.floor(now / FRAME_MS) + 1) * FRAME_MS, 0)
  globalThis.clearTimeout = id => void timers.delete(id)
  globalThis.clearInterval = globalThis.cancelAnimationFrame = globalThis.clearTimeout

  const advance = ms => {
    const end = now + ms
    for (;;) {
      let due = null
      for (const timer of timers.values())
        if (timer.at <= end && (due === null || timer.at < due.at)) due = timer
      if (due === null) break
      now = Math.max(now, due.at)
      if (due.every) due.at += due.every
      else timers.delete(due.id)
      try {
        due.run()
      } catch (error) {
        console.error(error)
      }
    }
    now = end
  }

  // Pictures load by the browser's own clock; until they are there they take no room.
  const pictures = () =>
    Promise.all(
      [...document.images]
        .filter(image => !image.complete)
        .map(
          image =>
            new Promise(done => {
              image.addEventListener("load", done)
              image.addEventListener("error", done)
            }),
        ),
    ).then(() => null)

  let ownLimit = 0
  let begun = 0
  let utterance = ""
  const start = (seed, limit) => {
    advance(FRAME_MS)
    ownLimit = core.EPISODE_MAX_TIME
    core.EPISODE_MAX_TIME = limit
    Math.seedrandom(seed)
    core.startEpisodeReal()
    utterance = words(core.getUtterance())
    advance(FRAME_MS)
    begun = now
    return pictures()
  }
  // The page decays a reward over its limit of time; the result is the reward under its own limit.
  const reward = () => {
    const raw = WOB_RAW_REWARD_GLOBAL
    if (!raw || WOB_REWARD_GLOBAL === raw) return WOB_REWARD_GLOBAL
    const spent = (1 - WOB_REWARD_GLOBAL / raw) * core.EPISODE_MAX_TIME
    return raw * Math.max(0, 1 - spent / ownLimit)
  }
  const words = text => (typeof text === "string" ? text : text.utterance)
  // A page that was never started is not the one that was: the agent has left or reloaded that.
  const state = () =>
    ownLimit
      ? {
          utterance,
          done: WOB_DONE_GLOBAL,
          raw_reward: WOB_RAW_REWARD_GLOBAL,
          reward: reward(),
          reason: String(WOB_REWARD_REASON ?? ""),
          limit_s: ownLimit / 1000,
        }
      : { done: true, raw_reward: 0, reward: 0, reason: "the page was left" }
  const spend = ms => {
    advance(ms)
    return pictures()
  }
  globalThis.tapwright = { spend, start, state, spent: () => now - begun }
})()
