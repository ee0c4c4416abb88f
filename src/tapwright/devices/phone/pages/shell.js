/** The shell: boots the phone, draws home, bars and screens, switches apps, and answers the driver at `window.phone`. */

import { apps } from "./apps/index.js"
import { setSwitch } from "./apps/settings.js"
import { navigationParts } from "./bars.js"
import { clockText, dayText } from "./dates.js"
import { fieldPlace, focusFirst, restoreField } from "./focus.js"
import { listenDrag, listenEdges } from "./gestures.js"
import { clearField, drawKeyboard, focusedField, pressEnter } from "./keyboard.js"
import { column, glyphs, h, iconButton, metrics, scrollOffsets, settle, wasPutBack } from "./kit.js"
import { homeScreen, recentsScreen, statusIcons } from "./home.js"
import { logLine } from "./logcat.js"
import { look, wear } from "./looks.js"
import { dialogBox, menuSheet, scrim } from "./overlays.js"
import { requestPermission } from "./permissions.js"
import { shadePanel } from "./shade.js"
import { START, assign, jsonAt, randomOf, resetStates, states, stores } from "./states.js"

const SYSTEM_PID = 612
const FIRST_APP_PID = 1038
/** How far a finger goes down from the status bar, in CSS px, to pull the shade. */
const PULL_PX = 40
const fontScales = { small: 0.88, default: 1, large: 1.15 }

const byId = new Map(apps.map((app) => [app.id, app]))
const places = Object.fromEntries(["status", "stage", "keyboard", "nav", "overlay", "toast"].map((name) => [name, document.querySelector(`.${name}`)]))

/** What the page's address asks for: a look, gestures in place of buttons, no keyboard on the glass. */
const query = new URLSearchParams(location.search)
const gestures = query.get("navigation") === "gestures"
const keyboard = query.get("keyboard") !== "off"

let installed = apps
let now = START
let log = []
let epoch = 0
/** Back stacks by the id of the app that owns them, oldest use first; an entry may show another app's screen. */
let tasks = new Map()
/** What the glass shows: "home", "recents" or a task's app id. */
let view = "home"
let overlay = null
let toast = ""
let dirty = false
let drawing = false
let drawnEntry = null
let drawnOverlay = null
const homeEntry = { ui: {}, scroll: {} }

const language = () => (states.settings.language === "zh" ? "zh" : "en")
const translate = (en, zh) => (language() === "zh" ? zh : en)

const activityOf = (screen) => `.${screen[0].toUpperCase()}${screen.slice(1)}`
const tagOf = (app) => `${app.id[0].toUpperCase()}${app.id.slice(1)}App`
const writeLog = (pid, level, tag, message) => log.push(logLine({ ms: now, pid, level, tag, message }))
const logStart = (packageName, screen) => writeLog(SYSTEM_PID, "I", "ActivityManager", `START u0 {cmp=${packageName}/${activityOf(screen)}}`)

window.addEventListener("error", (event) => writeLog(SYSTEM_PID, "E", "AndroidRuntime", `FATAL EXCEPTION: ${event.message}`))

function newEntry(appId, screen, params = {}) {
  logStart(byId.get(appId).package, screen)
  return { app: appId, screen, params, ui: {}, scroll: {} }
}

const stack = () => tasks.get(view)
const topEntry = () => stack()?.at(-1) ?? null

function showTask(appId) {
  const entries = tasks.get(appId) ?? [newEntry(appId, byId.get(appId).home)]
  tasks.delete(appId)
  tasks.set(appId, entries)
  view = appId
}

function show(change) {
  overlay = null
  focusedField()?.blur()
  change()
  redraw()
}

const goHome = () => show(() => {
  logStart("org.tapwright.home", "home")
  view = "home"
})

const showRecents = () => show(() => {
  logStart("org.tapwright.home", "recents")
  view = "recents"
})

function leaveScreen() {
  show(() => {
    if (stack().length > 1) {
      stack().pop()
      return
    }
    tasks.delete(view)
    view = "home"
  })
}

/** Back closes, in this order: the keyboard, the dialog, what the screen itself wants closed, the screen. */
function pressBack() {
  if (focusedField()) {
    focusedField().blur()
    redraw()
  } else if (overlay) {
    cancelOverlay()
  } else if (view === "recents") {
    goHome()
  } else if (view !== "home") {
    if (drawnEntry?.view?.onBack?.() !== true) leaveScreen()
    else redraw()
  }
}

function openByName(name) {
  const wanted = String(name).trim().toLowerCase()
  const app = installed.find((one) => [one.id, one.package, one.name.en, one.name.zh].some((known) => known.toLowerCase() === wanted))
  if (!app) return false
  show(() => showTask(app.id))
  return true
}

function closeDialog() {
  if (!overlay) return
  overlay = null
  redraw()
}

function cancelOverlay() {
  overlay.onCancel?.()
  closeDialog()
}

function contextFor(app, entry) {
  return {
    get state() { return states[app.id] },
    get all() { return states },
    get language() { return language() },
    get ui() { return entry.ui },
    random: randomOf(app.id),
    t: translate,
    now: () => now,
    time: (ms) => clockText(ms, states.settings.use_24_hour, language()),
    date: (ms) => dayText(ms, language()),
    has: (appId) => installed.some((one) => one.id === appId),
    go: (screen, params) => show(() => {
      if (!stack()) showTask(app.id)
      stack().push(newEntry(app.id, screen, params))
    }),
    replace: (screen, params) => show(() => stack().splice(-1, 1, newEntry(app.id, screen, params))),
    back: leaveScreen,
    redraw,
    log: (message, level = "I") => writeLog(FIRST_APP_PID + apps.indexOf(app), level, tagOf(app), message),
    toast: (message) => { toast = message; redraw() },
    dialog: (spec) => { focusedField()?.blur(); overlay = { kind: "dialog", ...spec }; redraw() },
    menu: (items) => { focusedField()?.blur(); overlay = { kind: "menu", items }; redraw() },
    closeDialog,
    permit(name, onAllowed) { requestPermission(this, app, name, onAllowed) },
    open: (appId, screen, params) => show(() => {
      if (!stack()) showTask(appId)
      if (screen) stack().push(newEntry(appId, screen, params))
      else showTask(appId)
    }),
  }
}

/** Draws once, after the handler that requested it has ended. */
function redraw() {
  if (dirty) return
  dirty = true
  queueMicrotask(flush)
}

function flush() {
  if (!dirty) return
  dirty = false
  draw()
}

function draw() {
  drawing = true
  epoch += 1
  const settings = states.settings
  document.documentElement.lang = language()
  document.documentElement.dataset.theme = settings.dark_theme ? "dark" : "light"
  metrics.scale = fontScales[settings.font_size] ?? 1
  document.documentElement.style.setProperty("--scale", metrics.scale)

  const held = fieldPlace([places.overlay, places.stage])
  const entry = view === "home" || view === "recents" ? homeEntry : topEntry()
  const fresh = entry !== drawnEntry
  if (drawnEntry) drawnEntry.scroll = scrollOffsets(places.stage)
  drawnEntry = entry
  places.stage.replaceChildren(view === "home" ? homeScreen(shellContext) : view === "recents" ? recentsScreen(shellContext) : appScreen(entry))
  drawOverlay()
  drawBars()
  settle(places.stage, entry.scroll)

  if (held && !(fresh && held.root === places.stage)) restoreField(held)
  else if (!entry.seen && !overlay) focusFirst(places.stage)
  entry.seen = true
  drawing = false
  drawTyping()
}

function appScreen(entry) {
  const app = byId.get(entry.app)
  const ctx = contextFor(app, entry)
  const shown = app.screens[entry.screen](ctx, entry.params)
  entry.view = shown
  const deep = shown.back ?? stack().length > 1
  const bar = h("div", { class: "bar" },
    deep ? iconButton({ id: "navigate_up", glyph: look.back === "chevron" ? glyphs.prev : glyphs.back, label: translate("Back", "返回"), onTap: pressBackInApp }) : null,
    typeof shown.title === "string" ? h("div", { class: "bar-title", id: "title", role: "heading" }, shown.title) : h("div", { class: "bar-title" }, shown.title),
    h("div", { class: "bar-actions" }, shown.actions))
  const screen = column(bar, h("div", { class: "body" }, shown.body), shown.fab)
  screen.classList.add("screen")
  return screen
}

/** The app bar's arrow leaves even while the keyboard is open. */
function pressBackInApp() {
  focusedField()?.blur()
  pressBack()
}

const overlayPanels = {
  dialog: (shown) => dialogBox(shown, pressButton),
  menu: (shown) => menuSheet(shown, pressButton),
  shade: (shown) => shown.body(),
}

function drawOverlay() {
  places.overlay.hidden = !overlay
  if (!overlay) {
    places.overlay.replaceChildren()
    drawnOverlay = null
    return
  }
  const fresh = overlay !== drawnOverlay
  // A dialog built once keeps its elements; one whose body is a function follows the state.
  if (!fresh && typeof overlay.body !== "function") return
  const offsets = fresh ? {} : scrollOffsets(places.overlay)
  drawnOverlay = overlay
  places.overlay.dataset.kind = overlay.kind
  places.overlay.replaceChildren(scrim(translate("Dismiss", "关闭弹窗"), cancelOverlay), overlayPanels[overlay.kind](overlay))
  settle(places.overlay, offsets)
  if (fresh) focusFirst(places.overlay)
}

/** A button's onTap may return false to keep its dialog open. */
function pressButton(onTap) {
  const pressed = overlay
  const answer = onTap?.()
  if (answer !== false && overlay === pressed) closeDialog()
}

function drawBars() {
  places.status.className = `status ${view === "home" || view === "recents" ? "over-wallpaper" : ""}`
  places.status.replaceChildren(...statusIcons(shellContext))
  places.nav.className = `nav ${view === "home" || view === "recents" ? "over-wallpaper" : ""}`
  places.nav.replaceChildren(...navigationParts(translate, { back: pressBack, home: goHome, recents: showRecents }, gestures))
  places.toast.hidden = !toast
  places.toast.textContent = toast
  // A toast is seen through by touches, so it must hide nothing that takes one.
  const below = toast ? places.stage.querySelector(look.tabs === "bottom" ? ".bottom-bar, .fab, .tabs" : ".bottom-bar, .fab") : null
  places.toast.style.setProperty("--lift", `${below?.offsetHeight ?? 0}px`)
}

/** Follows the focus: the keyboard takes its room from the stage, and the lists fill what is left. */
function drawTyping() {
  if (drawing) return
  const input = focusedField()
  const wasOpen = !places.keyboard.hidden
  if (!keyboard) return
  drawKeyboard(places.keyboard, input, language())
  document.querySelector(".phone").classList.toggle("typing", Boolean(input))
  if (wasOpen !== Boolean(input)) {
    epoch += 1
    settle(places.stage, scrollOffsets(places.stage))
  }
  input?.closest(".field").scrollIntoView({ block: "nearest" })
}

document.addEventListener("focusin", drawTyping)
document.addEventListener("focusout", () => queueMicrotask(drawTyping))
document.addEventListener("scroll", ({ target }) => { if (!wasPutBack(target)) epoch += 1 }, true)

// Only a text field may take the focus; a key or a button leaves it where it is.
for (const name of ["pointerdown", "mousedown"]) {
  document.addEventListener(name, (event) => {
    if (!event.target.closest("input, textarea")) event.preventDefault()
  })
}
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !focusedField() || focusedField().tagName === "TEXTAREA") return
  event.preventDefault()
  pressEnter()
})
/** A toast stays until the next action. */
function dropToast() {
  if (!toast) return
  toast = ""
  places.toast.hidden = true
  epoch += 1
}
for (const name of ["pointerdown", "keydown", "input"]) document.addEventListener(name, dropToast, true)

function pullShade() {
  focusedField()?.blur()
  overlay = { kind: "shade", body: () => shadePanel(shellContext) }
  redraw()
}

listenDrag(places.status, ({ dy }) => { if (dy > PULL_PX) pullShade() })
if (gestures) {
  document.querySelector(".phone").classList.add("gestures")
  listenEdges(places.nav, { back: pressBack, home: goHome, recents: showRecents })
}
window.addEventListener("resize", redraw)

function dropNotification(one) {
  const { items } = states.notifications
  items.splice(items.indexOf(one), 1)
}

const logNotice = (message) => writeLog(SYSTEM_PID, "I", "NotificationService", message)

/** What home, recents and the shade may read and do. */
const shellContext = {
  get settings() { return states.settings },
  get language() { return language() },
  get apps() { return installed },
  get tasks() { return [...tasks.keys()].reverse().map((id) => byId.get(id)) },
  t: translate,
  now: () => now,
  open: (appId) => show(() => showTask(appId)),
  dismiss: (appId) => show(() => tasks.delete(appId)),
  get notifications() { return states.notifications.items },
  flip: (key) => setSwitch(contextFor(byId.get("settings"), homeEntry), key, !states.settings[key]),
  openNotification: (one) => show(() => {
    dropNotification(one)
    logNotice(`notification_opened id=${one.id} app=${one.app}`)
    showTask(one.app)
    stack().push(newEntry(one.app, one.screen, one.params))
  }),
  dismissNotification(one) {
    dropNotification(one)
    logNotice(`notification_dismissed id=${one.id} app=${one.app}`)
    redraw()
  },
  clearNotifications() {
    logNotice(`notifications_cleared count=${states.notifications.items.length}`)
    states.notifications.items = []
    closeDialog()
  },
  dismissAll: () => show(() => { tasks.clear(); view = "home" }),
}

const action = (act) => {
  dropToast()
  const answer = act()
  flush()
  return answer
}

window.phone = {
  reset(options = {}) {
    installed = options.apps ? apps.filter((app) => options.apps.includes(app.id)) : apps
    wear(query.get("look") ?? "classic", options.seed ?? 0)
    resetStates(options.seed ?? 0, options.language === "zh" ? "zh" : "en")
    now = START
    log = []
    epoch = 0
    tasks = new Map()
    view = "home"
    overlay = null
    toast = ""
    drawnEntry = null
    homeEntry.scroll = {}
    focusedField()?.blur()
    for (const [path, value] of Object.entries(options.state ?? {})) assign(path, value)
    if (options.app) openByName(options.app)
    dirty = true
    flush()
  },
  state: (path = "") => jsonAt(path),
  apps: () => installed.map((app) => ({ id: app.id, package: app.package, name: app.name[language()] })),
  stores: () => stores.map((store) => store.id),
  log: (from = 0) => log.slice(from),
  now: () => now,
  advance(ms) {
    now += ms
    for (const app of installed) app.tick?.(contextFor(app, { ui: {} }))
    dirty = true
    flush()
  },
  back: () => action(pressBack),
  home: () => action(goHome),
  recents: () => action(showRecents),
  open: (name) => action(() => openByName(name)),
  enter: () => action(pressEnter),
  clear: () => action(clearField),
  screen() {
    flush()
    const entry = topEntry()
    const app = entry ? byId.get(entry.app) : null
    return {
      app: app?.id ?? view,
      package: app?.package ?? "org.tapwright.home",
      activity: activityOf(entry?.screen ?? view),
      keyboard: Boolean(focusedField()),
      dialog: Boolean(overlay),
      epoch,
    }
  },
}

window.phone.reset()
