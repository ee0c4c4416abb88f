/** The kit: DOM helpers and the widgets every app is made of.
 *
 * Rendering is immediate. A screen function builds its elements from state, the shell
 * swaps them in whole, and `settle` then sizes lists and puts scroll offsets back.
 */

import { glyphs } from "./glyphs.js"
export { glyphs }

const SVG = "http://www.w3.org/2000/svg"
const LONG_PRESS_MS = 500
const OVERSCAN_ROWS = 4
/** How far a finger may wander, in CSS px, before a press is a swipe. */
const PRESS_SLOP_PX = 12

/** Text scale; the shell follows settings.font_size with it. Lists grow their rows by it. */
export const metrics = { scale: 1 }

/** An element; `id` becomes data-id, `label` aria-label; children may be strings, elements, arrays or null. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (name === "class") element.className = value
    else if (name === "style") applyStyle(element, value)
    else if (name === "id") element.dataset.id = value
    else if (name === "label") element.setAttribute("aria-label", value)
    else if (name === "onTap") element.addEventListener("click", (event) => { event.stopPropagation(); value(event) })
    else if (name === "onLongPress") listenLongPress(element, value)
    else if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value)
    else element.setAttribute(name, value === true ? "" : value)
  }
  append(element, children)
  return element
}

function applyStyle(element, style) {
  for (const [name, value] of Object.entries(style)) {
    if (name.startsWith("--")) element.style.setProperty(name, value)
    else element.style[name] = value
  }
}

function append(element, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child)
    else if (child !== null && child !== undefined && child !== false) element.append(child)
  }
}

/** The kit's own texts, in the phone's language. */
export const say = (en, zh) => (document.documentElement.lang === "zh" ? zh : en)

let pressWasLong = false

/** Touch shows a long press as contextmenu, a mouse only as time between down and up. */
function listenLongPress(element, onLongPress) {
  let down = null
  element.dataset.longPress = "" // listeners cannot be seen from outside
  const fire = (event) => {
    event.preventDefault()
    event.stopPropagation()
    if (pressWasLong) return
    pressWasLong = true
    down = null
    onLongPress(event)
  }
  element.addEventListener("pointerdown", (event) => { down = event })
  element.addEventListener("pointercancel", () => { down = null })
  element.addEventListener("pointerup", (event) => {
    if (!down || event.timeStamp - down.timeStamp < LONG_PRESS_MS) return
    if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < PRESS_SLOP_PX) fire(event)
  })
  element.addEventListener("contextmenu", fire)
}

// A long press redraws the screen, so the click that may follow lands on new elements: stop it at the root.
document.addEventListener("pointerdown", () => { pressWasLong = false }, true)
document.addEventListener("click", (event) => {
  if (!pressWasLong) return
  event.stopPropagation()
  event.preventDefault()
}, true)
document.addEventListener("contextmenu", (event) => event.preventDefault())

/** A 24x24 path as an SVG element, in the text colour. */
export function icon(path, { size = 24, color } = {}) {
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("width", size)
  svg.setAttribute("height", size)
  svg.setAttribute("class", "icon")
  svg.setAttribute("aria-hidden", "true")
  const shape = document.createElementNS(SVG, "path")
  shape.setAttribute("d", path)
  shape.setAttribute("fill", color ?? "currentColor")
  svg.append(shape)
  return svg
}

/** An SVG picture from markup the app itself composed; never pass it text a user typed. */
export function picture(markup, { class: className = "picture", label } = {}) {
  const template = document.createElement("template")
  template.innerHTML = markup
  const svg = template.content.firstElementChild
  svg.setAttribute("class", className)
  svg.setAttribute("role", "img")
  if (label) svg.setAttribute("aria-label", label)
  return svg
}

const windows = new WeakMap()

/** The screen's scrolling list; only the rows near the viewport are in the document. */
export function list({ id, items, row: buildRow, rowHeight, header, empty: emptyText }) {
  const height = Math.round(rowHeight * Math.max(1, metrics.scale))
  const rows = h("div", { class: "list-rows", role: "list", style: { height: `${items.length * height}px` } })
  const scroller = h("div", { class: "scroller list", id, "data-scroll": id }, header,
    items.length === 0 && emptyText ? empty(emptyText) : rows)
  const shown = new Map()

  const fill = () => {
    const top = scroller.scrollTop - rows.offsetTop
    const first = Math.max(0, Math.floor(top / height) - OVERSCAN_ROWS)
    const last = Math.min(items.length - 1, Math.ceil((top + scroller.clientHeight) / height) + OVERSCAN_ROWS)
    for (const [index, element] of shown) {
      if (index >= first && index <= last) continue
      element.remove()
      shown.delete(index)
    }
    for (let index = first; index <= last; index++) {
      if (shown.has(index)) continue
      const element = buildRow(items[index], index)
      Object.assign(element.style, { position: "absolute", top: `${index * height}px`, left: 0, right: 0, height: `${height}px` })
      shown.set(index, element)
      // Document order is reading order for whoever walks the tree.
      const later = [...shown.keys()].filter((other) => other > index)
      rows.insertBefore(element, later.length ? shown.get(Math.min(...later)) : null)
    }
  }
  windows.set(scroller, fill)
  scroller.addEventListener("scroll", fill)
  return scroller
}

const putBack = new WeakMap()
const sideOf = (scroller) => (scroller.dataset?.scrollX ? "scrollLeft" : "scrollTop")

function moveBack(scroller, offset) {
  const side = sideOf(scroller)
  if (scroller[side] === offset) return
  scroller[side] = offset
  putBack.set(scroller, scroller[side])
}

/** Whether a scroll event only reports what `settle` did, which the redraw has counted; call it once per event. */
export function wasPutBack(scroller) {
  const offset = putBack.get(scroller)
  putBack.delete(scroller)
  return offset === scroller[sideOf(scroller)]
}

/** Sizes the lists under `root` and puts back scroll offsets by scroller id. */
export function settle(root, offsets = {}) {
  for (const scroller of root.querySelectorAll("[data-scroll]")) {
    const offset = offsets[scroller.dataset.scroll]
    // A list knows its height before it has rows, so the offset holds at once.
    if (offset) moveBack(scroller, offset)
    windows.get(scroller)?.()
  }
  for (const strip of root.querySelectorAll("[data-scroll-x]")) moveBack(strip, offsets[strip.dataset.scrollX] ?? 0)
}

export function scrollOffsets(root) {
  const offsets = {}
  for (const scroller of root.querySelectorAll("[data-scroll]")) offsets[scroller.dataset.scroll] = scroller.scrollTop
  for (const strip of root.querySelectorAll("[data-scroll-x]")) offsets[strip.dataset.scrollX] = strip.scrollLeft
  return offsets
}

export function scroll({ id }, ...children) {
  return h("div", { class: "scroller", id, "data-scroll": id }, children)
}

/** A column that fills the screen, for fixed parts (tabs, chips, bars) around one list or scroll. */
export const column = (...children) => h("div", { class: "column" }, children)

/** A line of chips that scrolls sideways. */
export const chips = (id, ...children) => h("div", { class: "chips", id, "data-scroll-x": id }, children)

export const section = (title) => h("div", { class: "section", role: "heading" }, title)
export const card = ({ id, onTap, ...rest }, ...children) =>
  h("div", { ...rest, class: `card ${rest.class ?? ""}`, id, onTap, role: onTap ? "button" : undefined }, children)
export const divider = () => h("div", { class: "divider", role: "separator" })
export const empty = (message) => h("div", { class: "empty" }, message)

/** Text; `size` in CSS px before the phone's text scale. */
export function text(content, { id, size = 14, weight, color, class: className = "" } = {}) {
  return h("div", { class: `text ${className}`, id, style: { fontSize: `calc(${size}px * var(--scale))`, fontWeight: weight, color } }, content)
}

const avatarColors = ["#1967d2", "#188038", "#c5221f", "#9334e6", "#b06000", "#00796b", "#ad1457", "#455a64"]

/** A coloured disc with a letter; the colour follows from the text. */
export function avatar(label, { color, size = 40 } = {}) {
  let sum = 0
  for (const char of label) sum += char.codePointAt(0)
  const background = color ?? avatarColors[sum % avatarColors.length]
  const style = { background, width: `${size}px`, height: `${size}px`, fontSize: `${Math.round(size * 0.42)}px` }
  return h("span", { class: "avatar", style, "aria-hidden": "true" }, [...label.trim()][0]?.toUpperCase() ?? "")
}

/** One list row. `avatar` is a text or an element, `icon` a glyph or an element, `lines` how many lines the subtitle may take. */
export function row({ id, icon: glyph, avatar: face, title, subtitle, trailing, onTap, onLongPress, checked, selected, lines = 1, danger, disabled, label }) {
  let leading = null
  if (selected) leading = h("span", { class: "avatar chosen" }, icon(glyphs.check, { size: 22 }))
  else if (face) leading = typeof face === "string" ? avatar(face) : face
  else if (glyph) leading = h("span", { class: "leading" }, typeof glyph === "string" ? icon(glyph) : glyph)
  const end = typeof trailing === "string" ? h("span", { class: "trailing-text" }, trailing) : trailing
  return h("div", {
    class: `row ${selected ? "selected" : ""} ${danger ? "danger" : ""} ${disabled ? "off" : ""}`,
    id, label, onTap: disabled ? undefined : onTap, onLongPress,
    role: onTap ? "button" : "listitem",
    "aria-checked": checked === undefined ? undefined : String(checked),
    "aria-selected": selected === undefined ? undefined : String(selected),
    "aria-disabled": disabled ? "true" : undefined,
  },
  leading,
  h("div", { class: "row-text" },
    h("div", { class: "row-title" }, title),
    subtitle ? h("div", { class: "row-subtitle", style: { "-webkit-line-clamp": lines, WebkitLineClamp: lines } }, subtitle) : null),
  checked ? h("span", { class: "row-check" }, icon(glyphs.check)) : null,
  end ? h("div", { class: "trailing" }, end) : null)
}

// Number and e-mail inputs refuse setSelectionRange, so they are text inputs that only hint their keyboard.
const inputModes = { number: "numeric", tel: "tel", email: "email", search: "search" }

function listenField(input, { onInput, onEnter }) {
  if (onInput) input.addEventListener("input", () => onInput(input.value))
  if (onEnter) input.addEventListener("enter", () => onEnter(input.value))
}

/** The label fills the box and has square corners, so that a tap anywhere in it reaches the field. */
const fieldBox = (label, input) =>
  h("div", { class: "field" }, h("label", {}, label ? h("span", { class: "field-label" }, label) : null, input))

/** A single-line text field. Without onEnter, Enter closes the keyboard. */
export function field({ id, label, value = "", placeholder = " ", onInput, onEnter, type = "text", autofocus }) {
  const input = h("input", {
    id, label: label ?? placeholder.trim(), placeholder, type: type === "password" ? "password" : "text", inputmode: inputModes[type],
    "data-autofocus": autofocus ? "" : undefined, "data-enter": onEnter ? "" : undefined, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  })
  input.value = value
  listenField(input, { onInput, onEnter })
  if (type !== "search") return fieldBox(label, input)
  const wipe = () => {
    input.value = ""
    input.dispatchEvent(new InputEvent("input", { bubbles: true }))
  }
  return h("div", { class: "field search" }, h("label", {}, icon(glyphs.search, { size: 20 }), input),
    iconButton({ id: `${id}_clear`, glyph: glyphs.close, label: say("Clear", "清除"), onTap: wipe, size: 20 }))
}

export function textArea({ id, label, value = "", placeholder = " ", onInput, rows = 4, autofocus }) {
  const input = h("textarea", {
    id, label: label ?? placeholder.trim(), placeholder, rows, "data-autofocus": autofocus ? "" : undefined, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  })
  input.value = value
  listenField(input, { onInput })
  return fieldBox(label, input)
}

export function button({ id, text: content, onTap, primary, disabled, danger, label, glyph }) {
  return h("button", { class: `button ${primary ? "primary" : ""} ${danger ? "danger" : ""}`, id, label, onTap, disabled }, glyph ? icon(glyph, { size: 20 }) : null, content)
}

export const iconButton = ({ id, glyph, label, onTap, disabled, color, size = 24 }) =>
  h("button", { class: "icon-button", id, label, onTap, disabled, style: color ? { color } : undefined }, icon(glyph, { size }))
export const fab = ({ id, glyph, label, onTap, text: content }) =>
  h("button", { class: `fab ${content ? "wide" : ""}`, id, label, onTap }, icon(glyph), content)
export const chip = ({ id, text: content, selected, onTap, glyph }) =>
  h("button", { class: `chip ${selected ? "selected" : ""}`, id, onTap, "aria-pressed": String(Boolean(selected)) },
    selected && !glyph ? icon(glyphs.check, { size: 16 }) : null, glyph ? icon(glyph, { size: 18 }) : null, content)

// Without an onTap the row around it takes the tap, as in Android's settings.
const mark = (kind, role, { id, label, value, onTap, disabled }, face) =>
  h(onTap ? "button" : "span", { class: `${kind} ${value ? "on" : ""} ${onTap ? "" : "passive"}`, id, label, onTap, disabled, role, "aria-checked": String(Boolean(value)) }, face)
export const toggle = (props) => mark("toggle", "switch", props, h("span", { class: "knob" }))
export const checkbox = (props) => mark("checkbox", "checkbox", props, h("span", { class: "box" }, props.value ? icon(glyphs.check, { size: 16 }) : null))
export const radio = (props) => mark("radio", "radio", props, h("span", { class: "dot" }))

const steps = {
  minus: (label) => say(`Decrease ${label.toLowerCase()}`, `减少${label}`),
  plus: (label) => say(`Increase ${label.toLowerCase()}`, `增加${label}`),
}

/** Minus and plus around a number; the buttons are `<id>_minus` and `<id>_plus`. */
export function stepper({ id, label, value, onChange, min = 0, max = Infinity }) {
  const step = (name, glyph, next) => iconButton({ id: `${id}_${name}`, glyph, label: steps[name](label), disabled: next < min || next > max, onTap: () => onChange(next), size: 20 })
  return h("div", { class: "stepper", id, label, role: "group" },
    step("minus", glyphs.minus, value - 1), h("span", { class: "stepper-value" }, String(value)), step("plus", glyphs.add, value + 1))
}

/** A track that takes a tap or a sideways drag; the value is set when the finger lifts. */
export function slider({ id, label, value, min = 0, max = 100, step = 1, onChange }) {
  const fill = h("span", { class: "slider-fill" })
  const thumb = h("span", { class: "slider-thumb" })
  const track = h("div", { class: "slider-track" }, fill, thumb)
  const show = (shown) => {
    const share = `${((shown - min) / (max - min)) * 100}%`
    fill.style.width = share
    thumb.style.left = share
  }
  const valueAt = (event) => {
    const { left, width } = track.getBoundingClientRect()
    const share = Math.min(1, Math.max(0, (event.clientX - left) / width))
    return min + Math.round((share * (max - min)) / step) * step
  }
  let held = false
  show(value)
  return h("div", {
    class: "slider", id, label, role: "slider", "aria-valuenow": String(value), "aria-valuemin": String(min), "aria-valuemax": String(max),
    onPointerDown: (event) => { held = true; event.currentTarget.setPointerCapture(event.pointerId) },
    onPointerMove: (event) => { if (held) show(valueAt(event)) },
    onPointerCancel: () => { held = false; show(value) },
    onPointerUp: (event) => { if (held) { held = false; onChange(valueAt(event)) } },
  }, track)
}

export function tabs({ id, items, selected, onSelect }) {
  return h("div", { class: "tabs", id, role: "tablist" }, items.map((item) =>
    h("button", { class: `tab ${item.id === selected ? "selected" : ""}`, id: item.id, role: "tab", "aria-selected": String(item.id === selected), onTap: () => onSelect(item.id) }, item.text)))
}
