/** The two things that may lie over a screen: a dialog and a menu. */

import { glyphs, h, icon } from "./kit.js"

/** What surrounds a dialog or menu; a tap on it closes. */
export const scrim = (label, onTap) => h("div", { class: "scrim", id: "touch_outside", label, onTap })

/** A dialog; `press` gets the onTap of the button that was tapped. */
export function dialogBox({ title, body, buttons = [] }, press) {
  const content = typeof body === "function" ? body() : body
  return h("div", { class: "dialog", role: "dialog", label: title },
    title ? h("div", { class: "dialog-title", id: "dialog_title", role: "heading" }, title) : null,
    content ? h("div", { class: "dialog-body", "data-scroll": "dialog" }, content) : null,
    h("div", { class: "dialog-buttons" }, buttons.map((one) =>
      h("button", { class: `button ${one.primary ? "primary" : ""} ${one.danger ? "danger" : ""}`, id: one.id, onTap: () => press(one.onTap) }, one.text))))
}

/** A menu that rises from the bottom; items with `checked` are choices. */
export function menuSheet({ items }, press) {
  return h("div", { class: "sheet", role: "menu", "data-scroll": "menu" }, items.map((one) => {
    const isChoice = one.checked !== undefined
    return h("div", {
      class: `menu-item ${one.danger ? "danger" : ""}`, id: one.id, role: isChoice ? "menuitemradio" : "menuitem",
      "aria-checked": isChoice ? String(Boolean(one.checked)) : undefined, onTap: () => press(one.onTap),
    }, one.glyph ? icon(one.glyph, { size: 22 }) : null, h("span", { class: "menu-text" }, one.text), one.checked ? icon(glyphs.check, { size: 22 }) : null)
  }))
}
