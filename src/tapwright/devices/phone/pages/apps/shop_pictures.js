/** Drawn product pictures: one shape per kind of product, filled with the colour of its first variant. */

import { colors } from "./shop_data.js"

// Paths in a 48x48 box, each with its paint: m the product's colour, d darker, l lighter, k dark detail, w paper white.
const shapes = {
  headphones: ["d M8 29a16 16 0 0 1 32 0h-4a12 12 0 0 0-24 0z", "m M7 27h8v13h-4a4 4 0 0 1-4-4z", "m M41 27h-8v13h4a4 4 0 0 0 4-4z"],
  earbuds: ["m M10 12a6 6 0 1 1 10 5v18h-5V21a6 6 0 0 1-5-9z", "m M38 12a6 6 0 1 0-10 5v18h5V21a6 6 0 0 0 5-9z", "d M15 33h5v4h-5z M28 33h5v4h-5z"],
  speaker: ["m M13 5h22a3 3 0 0 1 3 3v32a3 3 0 0 1-3 3H13a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3z", "d M24 20a9 9 0 1 1 0 18 9 9 0 0 1 0-18z", "l M24 25a4 4 0 1 1 0 8 4 4 0 0 1 0-8z M24 9a4 4 0 1 1 0 8 4 4 0 0 1 0-8z"],
  microphone: ["m M24 4a7 7 0 0 1 7 7v10a7 7 0 0 1-14 0V11a7 7 0 0 1 7-7z", "k M11 21h3a10 10 0 0 0 20 0h3a13 13 0 0 1-11 13v6h6v3H16v-3h6v-6a13 13 0 0 1-11-13z", "d M17 13h14v3H17z"],
  laptop: ["m M9 9h30a2 2 0 0 1 2 2v22H7V11a2 2 0 0 1 2-2z", "l M11 13h26v16H11z", "d M3 34h42l-3 5H6z"],
  keyboard: ["m M5 14h38a2 2 0 0 1 2 2v16a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V16a2 2 0 0 1 2-2z", "l M7 18h4v3H7z M14 18h4v3h-4z M21 18h4v3h-4z M28 18h4v3h-4z M35 18h5v3h-5z M7 23h6v3H7z M16 23h4v3h-4z M23 23h4v3h-4z M30 23h10v3H30z", "d M13 28h22v3H13z"],
  mouse: ["m M24 6a12 12 0 0 1 12 12v12a12 12 0 0 1-24 0V18A12 12 0 0 1 24 6z", "d M12 21h24v2H12z", "l M22.500 10h3v8h-3z"],
  monitor: ["m M6 8h36a2 2 0 0 1 2 2v22a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V10a2 2 0 0 1 2-2z", "l M8 12h32v18H8z", "d M20 34h8v5h6v3H14v-3h6z"],
  kettle: ["m M15 16h18l4 24H11z", "d M17 11h14v5H17z M22 7h4v4h-4z", "k M34 17h6a3 3 0 0 1 3 3v10h-3V21h-5z", "m M13 24 5 20l1 8-7-2z"],
  pan: ["d M18 10a13 13 0 1 1 0 26 13 13 0 0 1 0-26z", "m M18 13a10 10 0 1 1 0 20 10 10 0 0 1 0-20z", "k M30 20h15a2 2 0 0 1 0 6H30z"],
  mug: ["m M9 12h24v24a4 4 0 0 1-4 4H13a4 4 0 0 1-4-4z", "d M33 17h4a5 5 0 0 1 5 5v4a7 7 0 0 1-7 7h-2v-4h1a4 4 0 0 0 4-4v-3a1 1 0 0 0-1-1h-4z", "l M13 16h3v18h-3z"],
  knife: ["l M5 18h26v12H17A15 15 0 0 1 5 18z", "m M31 17h12a2 2 0 0 1 2 2v5a4 4 0 0 1-4 4H31z", "k M34 21h2v2h-2z M39 21h2v2h-2z"],
  shirt: ["m M16 8h4a4 4 0 0 0 8 0h4l12 7-4 9-5-2v19H13V22l-5 2-4-9z", "d M16 8h4a4 4 0 0 0 8 0h4a8 8 0 0 1-16 0z"],
  jacket: ["m M17 6h14l10 6 3 26h-7l-2-16v20H13V22l-2 16H4l3-26z", "d M23 9h2v33h-2z", "k M17 6h14l-7 9z", "d M15 30h6v6h-6z M27 30h6v6h-6z"],
  trousers: ["m M13 5h22l3 38h-9L24 18l-5 25h-9z", "d M13 5h22v5H13z"],
  dress: ["m M18 5h3a3 3 0 0 0 6 0h3l2 7-3 8 9 22H10l9-22-3-8z", "d M18 19h12l1 4H17z"],
  sneaker: ["m M5 17l8 1 4 5 12 3c8 2 14 3 14 8v2H5z", "w M5 36h38v4H5z", "d M16 24l4-3 2 2-4 3z M22 26l4-3 2 2-4 3z"],
  boot: ["m M14 5h14v21c8 2 14 3 14 10H14z", "k M12 36h31v5H12z", "d M14 5h14v5H14z M18 16h10v2H18z M18 21h10v2H18z"],
  sandal: ["d M4 34h40l-2 6H6z", "m M8 34c0-9 5-13 9-13 3 0 4 2 4 5l-1 8z", "m M27 34c1-8 4-12 8-12 5 0 8 6 8 12z"],
  slipper: ["m M7 34c0-13 6-19 14-19 6 0 9 4 9 10l-1 9z", "d M5 34h39a3 3 0 0 1-3 6H8a3 3 0 0 1-3-6z", "l M12 26c2-5 5-6 9-6l-1 4c-3 0-5 0-8 2z"],
  backpack: ["d M17 11a7 7 0 0 1 14 0h-3a4 4 0 0 0-8 0z", "m M12 18a8 8 0 0 1 8-8h8a8 8 0 0 1 8 8v24H12z", "d M16 28h16v12H16z", "l M19 17h10v3H19z", "k M22 31h4v2h-4z"],
  suitcase: ["k M18 4h12v10h-3V7h-6v7h-3z", "m M13 13h22a3 3 0 0 1 3 3v23a3 3 0 0 1-3 3H13a3 3 0 0 1-3-3V16a3 3 0 0 1 3-3z", "d M16 18h2v19h-2z M23 18h2v19h-2z M30 18h2v19h-2z", "k M13 42h5v3h-5z M30 42h5v3h-5z"],
  handbag: ["d M15 20a9 9 0 0 1 18 0h-3a6 6 0 0 0-12 0z", "m M9 19h30l4 22H5z", "d M21 24h6v5h-6z"],
  wallet: ["m M7 13h32a3 3 0 0 1 3 3v20a3 3 0 0 1-3 3H7a3 3 0 0 1-3-3V16a3 3 0 0 1 3-3z", "d M9 9h28v4H9z M30 22h14v9H30z", "l M34 25h3v3h-3z"],
  mat: ["m M7 12h28v26a4 4 0 0 1-4 4H11a4 4 0 0 1-4-4z", "d M35 10a6 6 0 1 1 0 12 6 6 0 0 1 0-12z", "l M35 14a2 2 0 1 1 0 4 2 2 0 0 1 0-4z", "d M7 16h22v2H7z"],
  dumbbell: ["k M14 22h20v4H14z", "m M8 13h7v22H8z M33 13h7v22h-7z", "d M4 18h4v12H4z M40 18h4v12h-4z"],
  helmet: ["m M5 30a19 19 0 0 1 38 0v3H5z", "d M16 15l4-2 2 17h-5z M27 13l5 2-1 15h-5z", "k M8 33h4l6 9h-3z M38 33h-3l-6 9h3z"],
  bottle: ["k M20 4h8v5h-8z", "m M18 9h12v4l3 4v24a3 3 0 0 1-3 3H18a3 3 0 0 1-3-3V17l3-4z", "w M15 23h18v11H15z"],
  lipstick: ["m M19 18V9l8-5h2v14z", "w M18 18h12v8H18z", "k M16 26h16v18H16z"],
  cream: ["m M14 5h20l-2 29H16z", "k M17 35h14v8H17z", "w M17 14h14l-1 9H18z"],
  perfume: ["k M20 5h8v8h-8z", "d M17 13h14v4H17z", "m M12 17h24a3 3 0 0 1 3 3v19a3 3 0 0 1-3 3H12a3 3 0 0 1-3-3V20a3 3 0 0 1 3-3z", "w M17 25h14v9H17z"],
  soap: ["m M12 17h24a10 10 0 0 1 0 20H12a10 10 0 0 1 0-20z", "l M15 22h18a5 5 0 0 1 0 10H15a5 5 0 0 1 0-10z", "w M33 6a4 4 0 1 1 0 8 4 4 0 0 1 0-8z M24 9a2 2 0 1 1 0 4 2 2 0 0 1 0-4z"],
  puzzle: ["m M6 15h11a5 5 0 1 1 8 0h11v10a5 5 0 1 1 0 9v9H25a5 5 0 1 0-8 0H6V33a5 5 0 1 0 0-9z"],
  blocks: ["m M5 26h18v17H5z", "d M26 26h18v17H26z", "l M15 8h18v16H15z", "k M9 23h3v3H9z M16 23h3v3h-3z M30 23h3v3h-3z M37 23h3v3h-3z M19 5h3v3h-3z M26 5h3v3h-3z"],
  bear: ["d M11 6a5 5 0 1 1 0 10 5 5 0 0 1 0-10z M37 6a5 5 0 1 1 0 10 5 5 0 0 1 0-10z", "m M24 6a13 12 0 1 1 0 24 13 12 0 0 1 0-24z M24 27a14 9 0 1 1 0 18 14 9 0 0 1 0-18z", "l M24 18a6 5 0 1 1 0 10 6 5 0 0 1 0-10z", "k M18 14h3v3h-3z M27 14h3v3h-3z M22 20h4v3h-4z"],
  dice: ["m M8 8h32a4 4 0 0 1 4 4v24a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4V12a4 4 0 0 1 4-4z", "w M13 14h20v20H13z", "k M16 17h4v4h-4z M26 17h4v4h-4z M21 22h4v4h-4z M16 27h4v4h-4z M26 27h4v4h-4z"],
  novel: ["d M11 5h26a2 2 0 0 1 2 2v34a2 2 0 0 1-2 2H11z", "m M14 5h22v32H14z", "w M18 11h14v3H18z M18 17h9v2h-9z", "w M13 39h24v2H13z"],
  cookbook: ["m M10 5h28v38H10z", "d M10 5h5v38h-5z", "w M26 14a8 8 0 1 1 0 16 8 8 0 0 1 0-16z", "d M26 18a4 4 0 1 1 0 8 4 4 0 0 1 0-8z", "w M20 34h13v3H20z"],
  guide: ["m M10 5h28v38H10z", "w M24 11a8 8 0 0 1 8 8c0 6-8 13-8 13s-8-7-8-13a8 8 0 0 1 8-8z", "d M24 16a3 3 0 1 1 0 6 3 3 0 0 1 0-6z", "w M15 36h18v2H15z"],
  notebook: ["m M12 5h26v38H12z", "w M17 10h17v28H17z", "d M20 15h11v2H20z M20 21h11v2H20z M20 27h11v2H20z", "k M8 10h8v2H8z M8 18h8v2H8z M8 26h8v2H8z M8 34h8v2H8z"],
  lamp: ["m M16 6h16l7 18H9z", "k M22 24h4v14h-4z", "d M14 38h20v4H14z"],
  pillow: ["m M8 10q16 5 32 0-5 14 0 28-16-5-32 0 5-14 0-28z", "l M15 17q9 2 18 0-2 7 0 14-9-2-18 0 2-7 0-14z"],
  chair: ["m M13 4h22v18H13z", "d M11 22h26v6H11z", "k M12 28h4v16h-4z M32 28h4v16h-4z"],
  wallclock: ["m M24 5a19 19 0 1 1 0 38 19 19 0 0 1 0-38z", "w M24 9a15 15 0 1 1 0 30 15 15 0 0 1 0-30z", "k M22.500 13h3v10l8 5-2 2.500-9-5.500z"],
  can: ["m M15 18h20v22H15z", "d M35 21h4a5 5 0 0 1 5 5v4a6 6 0 0 1-6 6h-3v-3h2a4 4 0 0 0 4-4v-3a2 2 0 0 0-2-2h-4z", "m M15 28 6 17l-3 2-1-4 6-4 10 12z", "d M18 12h14v6H18z"],
  pot: ["d M10 17h28v7H10z", "m M12 24h24l-4 19H16z", "k M16 14h16v3H16z"],
  shears: ["l M13 4l13 20-4 3L10 8z M35 4L22 24l4 3L38 8z", "m M21 26l3 3-7 13a4 4 0 0 1-7-3z M27 26l-3 3 7 13a4 4 0 0 0 7-3z", "k M24 22a3 3 0 1 1 0 6 3 3 0 0 1 0-6z"],
  plant: ["g M23 26C12 26 9 18 9 10c9 0 14 5 14 16z M25 24c0-11 5-18 14-18 0 9-4 18-14 18z M22 20h4v12h-4z", "m M13 30h22l-3 14H16z", "d M12 28h24v5H12z"],
}

const svg = (tag, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

/** Mixes a hex colour with black (negative share) or white (positive share). */
function shade(hex, share) {
  const end = share < 0 ? 0 : 255
  const channels = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
  return `rgb(${channels.map((value) => Math.round(value + (end - value) * Math.abs(share))).join(",")})`
}

/** An SVG element that shows one product on its category's tint, `height` CSS px high and as wide as its parent. */
export function picture(kind, color, tint, height) {
  const fill = colors[color].fill
  const paints = { m: fill, d: shade(fill, -0.22), l: shade(fill, 0.45), k: "#4a4f54", w: "#ffffff", g: "#34a853" }
  const root = svg("svg", { viewBox: "-6 -6 60 60", "aria-hidden": "true" })
  Object.assign(root.style, { display: "block", width: "100%", height: `${height}px`, background: `color-mix(in srgb, ${tint} 80%, var(--surface))` })
  // White on a pale tint needs an edge.
  const edge = color === "white" ? { stroke: paints.d, "stroke-width": 0.8 } : {}
  for (const shape of shapes[kind]) root.append(svg("path", { fill: paints[shape[0]], d: shape.slice(2), ...edge }))
  return root
}
