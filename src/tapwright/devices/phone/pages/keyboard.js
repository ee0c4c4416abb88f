/** The drawn keyboard: keys that type into the focused field and never take its focus. */

import { glyphs, h, icon } from "./kit.js"
import { look } from "./looks.js"

const pages = {
  letters: [[..."qwertyuiop"], [..."asdfghjkl"], ["shift", ..."zxcvbnm", "backspace"], ["digits", ",", "space", ".", "enter"]],
  digits: [[..."1234567890"], [..."@#$_&-+()/"], ["symbols", ..."*\"':;!?", "backspace"], ["letters", ",", "space", ".", "enter"]],
  symbols: [[..."~`|•√π÷×¶∆"], [..."£€¥^°={}\\%"], ["digits", ..."©®™[]<>", "backspace"], ["letters", ",", "space", ".", "enter"]],
}
const pageNames = { letters: "ABC", digits: "?123", symbols: "=\\<" }

const labels = {
  en: { shift: "Shift", backspace: "Backspace", space: "Space", enter: "Enter", search: "Search", letters: "Letters", digits: "Digits", symbols: "Symbols" },
  zh: { shift: "大写", backspace: "退格", space: "空格", enter: "回车", search: "搜索", letters: "字母", digits: "数字", symbols: "符号" },
}

/** Some keyboards keep the digits above the letters. */
const rowsOf = (name) => (look.keys === "digits" && name === "letters" ? [[..."1234567890"], ...pages.letters] : pages[name])

let page = "letters"
let shifted = false
let drawn = ""

const isNumeric = (input) => ["numeric", "tel"].includes(input.getAttribute("inputmode"))

/** The text field that has focus, or null. */
export function focusedField() {
  const active = document.activeElement
  return active && (active.tagName === "INPUT" || active.tagName === "TEXTAREA") ? active : null
}

/** Puts `text` in place of the field's selection. */
function type(input, text) {
  input.setRangeText(text, input.selectionStart, input.selectionEnd, "end")
  input.dispatchEvent(new InputEvent("input", { bubbles: true }))
}

function erase(input) {
  const { selectionStart: start, selectionEnd: end, value } = input
  if (start === end) {
    if (start === 0) return
    const last = [...value.slice(0, start)].pop()
    input.setSelectionRange(start - last.length, start)
  }
  type(input, "")
}

/** Enter in the focused field: a new line in a text area, else the field's own act, else the keyboard closes. */
export function pressEnter() {
  const input = focusedField()
  if (!input) return
  if (input.tagName === "TEXTAREA") return type(input, "\n")
  const acts = input.hasAttribute("data-enter")
  if (!acts || input.getAttribute("inputmode") === "search") input.blur()
  if (acts) input.dispatchEvent(new Event("enter"))
}

export function clearField() {
  const input = focusedField()
  if (!input) return
  input.select()
  type(input, "")
}

/** Shows the keyboard in `place` for the field, in `language`; null hides it. */
export function drawKeyboard(place, input, language) {
  place.hidden = !input
  if (!input) {
    drawn = ""
    return
  }
  if (!drawn) {
    page = isNumeric(input) ? "digits" : "letters"
    shifted = false
  }
  const enter = input.getAttribute("inputmode") === "search" ? "search" : "enter"
  const wanted = [page, shifted, enter, language, look.keys].join()
  if (wanted === drawn) return
  drawn = wanted
  place.replaceChildren(...rowsOf(page).map((keys) => h("div", { class: "keys" }, keys.map((name) => key(name, { place, language, enter })))))
}

function key(name, { place, language, enter }) {
  const redraw = () => drawKeyboard(place, focusedField(), language)
  const named = labels[language]
  const special = (face, label, onTap, extra = "") =>
    h("button", { class: `key special ${extra}`, id: `key_${name}`, label, onTap, tabindex: -1 }, face)
  if (name === "shift") return special(icon(shifted ? glyphs.shiftFilled : glyphs.shift, { size: 22 }), named.shift, () => { shifted = !shifted; redraw() })
  if (name === "backspace") return special(icon(glyphs.backspace, { size: 22 }), named.backspace, () => erase(focusedField()))
  if (name === "enter") return special(icon(enter === "search" ? glyphs.search : glyphs.enter, { size: 22 }), named[enter], pressEnter, "go")
  if (name in pageNames) return special(pageNames[name], named[name], () => { page = name; shifted = false; redraw() })
  if (name === "space") return h("button", { class: "key space", id: "key_space", label: named.space, onTap: () => type(focusedField(), " "), tabindex: -1 }, "")
  const face = shifted ? name.toUpperCase() : name
  const press = () => {
    type(focusedField(), face)
    if (shifted) {
      shifted = false
      redraw()
    }
  }
  return h("button", { class: "key", id: `key_${name}`, label: face, onTap: press, tabindex: -1 }, face)
}
