/** The looks: what one vendor's phone draws differently from another's, as one choice on each axis.
 *
 * The first choice of each axis is what shell.css draws; looks.css draws the others. All looks have
 * the same elements with the same ids and names, in other places, orders, shapes and colours.
 */

import { createRandom } from "./random.js"

/** What may differ, and how; `look.home === "drawer"` and, in CSS, `[data-look~="home-drawer"]`. */
export const axes = {
  home: ["grid", "drawer"],
  status: ["clockfirst", "clocklast"],
  navigation: ["backfirst", "backlast"],
  bar: ["left", "centre"],
  back: ["arrow", "chevron"],
  tabs: ["top", "bottom"],
  fab: ["right", "middle"],
  rows: ["plain", "cards"],
  dialogs: ["middle", "bottom"],
  menus: ["sheet", "popup"],
  corners: ["round", "square"],
  icons: ["disc", "tile", "outline"],
  type: ["machine", "noto"],
  keys: ["letters", "digits"],
  settings: ["classic", "people"],
  palette: ["blue", "plum", "moss", "clay"],
}

const choose = (pick) => Object.fromEntries(Object.entries(axes).map(([axis, choices]) => [axis, pick(choices, axis)]))

/** The looks that have a name. */
export const looks = {
  classic: choose((choices) => choices[0]),
  orchid: choose((choices) => choices[1]),
}

/** The look on the glass; apps read it as `look.tabs`. */
export const look = { ...looks.classic }

/** Puts on a look by its name; "seed" draws every axis by itself, the same for the same seed. */
export function wear(name, seed) {
  const random = createRandom(`look/${seed}`)
  Object.assign(look, name === "seed" ? choose((choices) => random.pick(choices)) : looks[name])
  const others = Object.keys(axes).filter((axis) => look[axis] !== axes[axis][0])
  if (others.length) document.documentElement.dataset.look = others.map((axis) => `${axis}-${look[axis]}`).join(" ")
  else delete document.documentElement.dataset.look
}
