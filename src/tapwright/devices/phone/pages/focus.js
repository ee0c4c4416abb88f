/** The focus over a redraw: elements are replaced, the field that was written in and its caret stay. */

import { focusedField } from "./keyboard.js"

const namesakes = (root, id) => [...root.querySelectorAll("input, textarea")].filter((other) => other.dataset.id === id)

/** Where among `roots` the focused field is; null if nothing is focused. */
export function fieldPlace(roots) {
  const input = focusedField()
  if (!input) return null
  const root = roots.find((one) => one.contains(input))
  const id = input.dataset.id
  return { root, id, nth: namesakes(root, id).indexOf(input), start: input.selectionStart, end: input.selectionEnd }
}

export function restoreField({ root, id, nth, start, end }) {
  const input = namesakes(root, id)[nth]
  if (!input) return
  input.focus({ preventScroll: true })
  input.setSelectionRange(start, end)
}

/** Focuses the field that wants it as soon as it is shown. */
export function focusFirst(root) {
  const input = root.querySelector("[data-autofocus]")
  if (!input) return
  input.focus({ preventScroll: true })
  input.setSelectionRange(input.value.length, input.value.length)
}
