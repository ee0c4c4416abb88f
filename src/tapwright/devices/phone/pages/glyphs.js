/** The icons: 24x24 filled SVG paths, composed from a few shapes.
 *
 * Solid shapes run clockwise and holes run counter-clockwise, so that under the
 * non-zero fill rule overlapping solids join and a hole cuts.
 */

const number = (value) => String(Math.round(value * 100) / 100)
const poly = (...points) => "M" + points.map(([x, y]) => `${number(x)} ${number(y)}`).join("L") + "z"
const disc = (x, y, r) => `M${number(x - r)} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0z`
const pit = (x, y, r) => `M${number(x - r)} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`
const ring = (x, y, r, width = 2) => disc(x, y, r) + pit(x, y, r - width)
const box = (x, y, w, h) => `M${x} ${y}h${w}v${h}h${-w}z`
const slot = (x, y, w, h) => `M${x} ${y}v${h}h${w}v${-h}z`
const round = (x, y, w, h, r = 2) =>
  `M${x + r} ${y}h${w - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${h - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - w}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - h}a${r} ${r} 0 0 1 ${r} ${-r}z`
const frame = (x, y, w, h, width = 2) => round(x, y, w, h) + slot(x + width, y + width, w - 2 * width, h - 2 * width)

/** A straight stroke from (x1, y1) to (x2, y2). */
function bar(x1, y1, x2, y2, width = 2) {
  const length = Math.hypot(x2 - x1, y2 - y1)
  const nx = ((y1 - y2) / length) * (width / 2)
  const ny = ((x2 - x1) / length) * (width / 2)
  return poly([x1 - nx, y1 - ny], [x2 - nx, y2 - ny], [x2 + nx, y2 + ny], [x1 + nx, y1 + ny])
}

const line = (...points) => points.slice(1).map((point, i) => bar(...points[i], ...point)).join("")

/** A curved stroke around (x, y), from angle a to b in degrees, clockwise from east. */
function arc(x, y, r, a, b, width = 2) {
  const at = (radius, degrees) => {
    const t = (degrees * Math.PI) / 180
    return `${number(x + radius * Math.cos(t))} ${number(y + radius * Math.sin(t))}`
  }
  const large = b - a > 180 ? 1 : 0
  const outer = r + width / 2
  const inner = r - width / 2
  return `M${at(outer, a)}A${outer} ${outer} 0 ${large} 1 ${at(outer, b)}L${at(inner, b)}A${inner} ${inner} 0 ${large} 0 ${at(inner, a)}z`
}

function spokes(x, y, from, to, count, width = 2) {
  return Array.from({ length: count }, (_, i) => {
    const t = (i * 2 * Math.PI) / count
    return bar(x + from * Math.cos(t), y + from * Math.sin(t), x + to * Math.cos(t), y + to * Math.sin(t), width)
  }).join("")
}

function starPoints(outer, inner) {
  return Array.from({ length: 10 }, (_, i) => {
    const r = i % 2 ? inner : outer
    const t = ((i * 36 - 90) * Math.PI) / 180
    return [12 + r * Math.cos(t), 12.6 + r * Math.sin(t)]
  })
}

const heart = "M12 20.5C5 15 3 11.8 3 8.6C3 5.8 5.2 4 7.6 4C9.5 4 11.1 5 12 6.5C12.9 5 14.5 4 16.4 4C18.8 4 21 5.8 21 8.6C21 11.8 19 15 12 20.5z"
const heartPit = "M12 17.9C17.4 13.5 19 11.2 19 8.7C19 7 17.8 6 16.3 6C14.2 6 12.9 7.4 12 9.3C11.1 7.4 9.8 6 7.7 6C6.2 6 5 7 5 8.7C5 11.2 6.6 13.5 12 17.9z"
const shoulders = "M4 20v-1.5c0-3 4-4.5 8-4.5s8 1.5 8 4.5v1.5z"
const handset = "M6.6 3.5L9.6 4.6L10.4 8.6L8.2 10.4C9.3 12.6 11.4 14.7 13.6 15.8L15.4 13.6L19.4 14.4L20.5 17.4L19.4 20.4C11 20.6 3.4 13 3.6 4.6z"
const page = poly([5, 2], [14, 2], [19, 7], [19, 22], [5, 22]) + poly([13, 4], [7, 4], [7, 20], [17, 20], [17, 8], [13, 8])
const bell = "M12 2.5c-3.6 0-6 2.6-6 6v5.5l-2 3v1h16v-1l-2-3v-5.5c0-3.4-2.4-6-6-6z" + box(10, 19.5, 4, 2)
const arrowLeft = line([20, 12], [5, 12]) + line([11.5, 4.8], [4.4, 12], [11.5, 19.2])
const arrowRight = line([4, 12], [19, 12]) + line([12.5, 4.8], [19.6, 12], [12.5, 19.2])
const curve = "M10 9V5l-7 7 7 7v-4.1c5 0 8.5 1.6 11 5.1c-1-5-4-10-11-11z"
const curveRight = "M14 9V5l7 7-7 7v-4.1c-5 0-8.5 1.6-11 5.1c1-5 4-10 11-11z"
const speaker = poly([3, 9], [7, 9], [12, 4.5], [12, 19.5], [7, 15], [3, 15])
const folder = "M4 5h5.5l2 2.5H20a1.5 1.5 0 0 1 1.5 1.5v9.5A1.5 1.5 0 0 1 20 20H4a1.5 1.5 0 0 1-1.5-1.5v-12A1.5 1.5 0 0 1 4 5z"
const bag = "M5 8h14l1 13H4z" + arc(12, 8, 4, 180, 360)
const lockBody = round(5, 10, 14, 11)
const screenPhone = round(6, 1.5, 12, 21) + slot(8, 5, 8, 13)
const drop = "M12 2C7.8 2 5 5 5 9c0 5 7 13 7 13s7-8 7-13c0-4-2.8-7-7-7z" + pit(12, 9, 2.6)

export const glyphs = {
  add: bar(12, 4, 12, 20) + bar(4, 12, 20, 12),
  minus: bar(4, 12, 20, 12),
  search: ring(10, 10, 7) + bar(14.6, 14.6, 21, 21, 2.4),
  more: disc(12, 5, 2) + disc(12, 12, 2) + disc(12, 19, 2),
  menu: bar(3, 6, 21, 6) + bar(3, 12, 21, 12) + bar(3, 18, 21, 18),
  back: arrowLeft,
  forward: curveRight,
  next: line([8.5, 4.5], [16, 12], [8.5, 19.5]),
  prev: line([15.5, 4.5], [8, 12], [15.5, 19.5]),
  up: line([4.5, 15.5], [12, 8], [19.5, 15.5]),
  down: line([4.5, 8.5], [12, 16], [19.5, 8.5]),
  arrowRight,
  delete: box(4, 5, 16, 2) + box(9, 3, 6, 2) + "M6 8.5h12l-1 13H7z",
  restore: arc(12.5, 12.5, 7.5, -150, 150) + poly([2, 4.5], [9.5, 10.5], [2.5, 12]),
  edit: poly([3, 21], [3.8, 16.4], [14.2, 6], [18, 9.8], [7.6, 20.2]) + poly([15.4, 4.8], [17.4, 2.8], [21.2, 6.6], [19.2, 8.6]),
  star: poly(...starPoints(10, 4.2)) + poly(...starPoints(6.4, 2.7).reverse()),
  starFilled: poly(...starPoints(10, 4.2)),
  heart: heart + heartPit,
  heartFilled: heart,
  check: line([3.8, 12.4], [9.4, 18], [20.2, 6.2]),
  close: bar(5, 5, 19, 19) + bar(19, 5, 5, 19),
  cart: line([2, 4], [5.4, 4], [8.2, 16], [18.5, 16]) + poly([6, 6.2], [21.5, 6.2], [19, 14], [7.7, 14]) + disc(9.4, 20, 1.8) + disc(17.4, 20, 1.8),
  bag,
  send: poly([2.5, 3.5], [21.5, 12], [2.5, 20.5], [2.5, 14], [14, 12], [2.5, 10]),
  reply: curve,
  replyAll: "M13 9V5l-6.5 7 6.5 7v-4.1c4.4 0 7 1.6 9 5.1c-.8-5-3-10-9-11z" + poly([7.5, 5], [7.5, 7.8], [3.6, 12], [7.5, 16.2], [7.5, 19], [1, 12]),
  attach: arc(12, 16, 5, 0, 180) + bar(7, 6.5, 7, 16.2) + bar(17, 5, 17, 16.2) + arc(10.5, 6.5, 3.5, 180, 360) + bar(14, 6.3, 14, 15) + arc(12, 15, 2, 0, 180, 1.8) + bar(10, 9, 10, 15.2),
  phone: handset,
  hangUp: "M2 13.5c0-5 20-5 20 0v3h-5.5v-3.4c-3-1-6-1-9 0v3.4H2z",
  message: "M4 3.5h16a1.5 1.5 0 0 1 1.5 1.5v11a1.5 1.5 0 0 1-1.5 1.5H8l-5.5 4V5A1.5 1.5 0 0 1 4 3.5z",
  mail: round(2, 4, 20, 16) + poly([4, 6], [4, 7.6], [12, 13.2], [20, 7.6], [20, 6]) + poly([4, 10], [4, 18], [20, 18], [20, 10], [12, 15.6]),
  inbox: frame(3, 3, 18, 18) + poly([4, 13], [8.5, 13], [10, 15.5], [14, 15.5], [15.5, 13], [20, 13], [20, 20], [4, 20]),
  drafts: page + box(8.5, 11, 7, 1.8) + box(8.5, 15, 7, 1.8),
  archive: round(3, 3, 18, 5, 1) + "M4.5 9.5h15v11a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1z" + slot(9, 12, 6, 2),
  spam: poly([8, 2], [16, 2], [22, 8], [22, 16], [16, 22], [8, 22], [2, 16], [2, 8]) + slot(11, 6, 2, 8) + slot(11, 16, 2, 2),
  label: poly([2.5, 5], [15, 5], [21.5, 12], [15, 19], [2.5, 19]),
  calendar: frame(3, 4, 18, 18) + box(4, 5, 16, 5) + box(7, 2, 2.2, 4) + box(14.8, 2, 2.2, 4) + box(7, 13, 3, 3) + box(13, 13, 3, 3),
  today: frame(3, 4, 18, 18) + box(4, 5, 16, 4.5) + box(7, 2, 2.2, 4) + box(14.8, 2, 2.2, 4) + disc(12, 15, 3.2),
  folder,
  newFolder: folder + slot(12, 10, 2, 3) + slot(9, 13, 8, 2) + slot(12, 15, 2, 3),
  file: page,
  document: page + box(8.5, 11, 7, 1.8) + box(8.5, 15, 7, 1.8),
  image: frame(3, 3, 18, 18) + poly([5, 18.5], [9.5, 11.5], [12.5, 15.5], [15, 12.5], [19, 18.5]) + disc(15.5, 8.5, 1.8),
  music: disc(7, 18, 3.4) + box(8.4, 4, 2, 14) + disc(17, 16, 3.4) + box(18.4, 3, 2, 13) + poly([8.4, 4], [20.4, 2], [20.4, 6], [8.4, 8]),
  video: round(2, 5, 13.5, 14) + poly([16.5, 10.5], [22, 6.5], [22, 17.5], [16.5, 13.5]),
  download: line([12, 3], [12, 14.5]) + line([6.5, 9.8], [12, 15.4], [17.5, 9.8]) + box(4, 18.5, 16, 2),
  copy: frame(7, 6, 13, 16) + box(3, 2, 2, 15) + box(3, 2, 13, 2),
  move: folder + poly([12, 9.5], [12, 12.4], [7.5, 12.4], [7.5, 15], [12, 15], [12, 17.8], [16.6, 13.7]),
  clock: ring(12, 12, 9.5) + bar(12, 6, 12, 12.8) + bar(11.4, 12, 16.6, 15.4),
  alarm: ring(12, 13, 8.5) + bar(12, 8, 12, 13.8) + bar(11.4, 13, 15.6, 15.8) + bar(2.6, 6.4, 6.8, 2.8) + bar(21.4, 6.4, 17.2, 2.8),
  timer: ring(12, 13.5, 8.5) + box(9, 1.5, 6, 2.2) + bar(12, 8.5, 12, 14.2) + bar(18.2, 6.8, 20, 5),
  stopwatch: ring(12, 13.5, 8.5) + box(9, 1.5, 6, 2.2) + poly([12, 13.5], [12, 8], [17.5, 13.5]),
  globe: ring(12, 12, 9.5) + bar(3, 12, 21, 12, 1.8) + bar(12, 3, 12, 21, 1.8) + arc(3.2, 12, 12, -45, 45, 1.8) + arc(20.8, 12, 12, 135, 225, 1.8),
  settings: spokes(12, 12, 6, 10.4, 8, 4) + ring(12, 12, 8, 4.6),
  wifi: arc(12, 19, 13, 225, 315, 2.4) + arc(12, 19, 8.4, 225, 315, 2.4) + disc(12, 18, 2.8),
  wifiOff: arc(12, 19, 13, 225, 315, 2.4) + arc(12, 19, 8.4, 225, 315, 2.4) + disc(12, 18, 2.8) + bar(3.5, 2.5, 20.5, 21.5, 2),
  signal: poly([21, 3], [21, 21], [3, 21]),
  bluetooth: bar(12, 2.4, 12, 21.6, 1.8) + line([6.2, 6.8], [17.2, 16.6], [11.4, 21.4]) + line([6.2, 17.2], [17.2, 7.4], [11.4, 2.6]),
  battery: box(9.5, 1.5, 5, 2.5) + round(7, 3.5, 10, 19),
  batterySaver: box(9.5, 1.5, 5, 2.5) + round(6, 3.5, 12, 19) + slot(11, 9, 2, 3) + slot(8.5, 12, 7, 2) + slot(11, 14, 2, 3),
  location: drop,
  person: disc(12, 7.5, 4.5) + shoulders,
  group: disc(9, 8, 3.8) + "M1.5 19.5v-1.4c0-2.8 3.8-4.1 7.5-4.1s7.5 1.3 7.5 4.1v1.4z" + disc(16.8, 8.6, 3) + "M18 19.5h5v-1.4c0-2.4-2.6-3.8-5.6-4z",
  block: ring(12, 12, 9.5) + bar(5.6, 5.6, 18.4, 18.4),
  pin: poly([8, 2.5], [16, 2.5], [15, 9.5], [18.5, 14], [13, 14], [12, 22], [11, 14], [5.5, 14], [9, 9.5]),
  share: disc(18, 5, 3) + disc(18, 19, 3) + disc(6, 12, 3) + bar(6, 12, 18, 5) + bar(6, 12, 18, 19),
  filter: bar(3, 6, 21, 6) + bar(6.5, 12, 17.5, 12) + bar(10, 18, 14, 18),
  sort: bar(3, 6, 21, 6) + bar(3, 12, 15, 12) + bar(3, 18, 9, 18),
  play: poly([6.5, 3.5], [20.5, 12], [6.5, 20.5]),
  pause: box(6, 4, 4, 16) + box(14, 4, 4, 16),
  stop: box(5, 5, 14, 14),
  reset: arc(12, 12.5, 7.5, -60, 230) + poly([12.6, 1], [12.6, 9], [7.4, 5]),
  flag: box(4, 2.5, 2, 19.5) + poly([6, 3.5], [20.5, 3.5], [17, 8.5], [20.5, 13.5], [6, 13.5]),
  home: poly([12, 2.5], [22.5, 12], [19.5, 12], [19.5, 21], [14, 21], [14, 14.5], [10, 14.5], [10, 21], [4.5, 21], [4.5, 12], [1.5, 12]),
  cake: round(3, 12, 18, 9.5) + box(11, 6, 2, 6) + disc(12, 4, 1.8) + slot(3, 15.5, 18, 1.4),
  notes: frame(3.5, 3, 17, 18) + box(7, 7.5, 10, 1.8) + box(7, 11.2, 10, 1.8) + box(7, 15, 6, 1.8),
  list: bar(8, 6, 21, 6) + bar(8, 12, 21, 12) + bar(8, 18, 21, 18) + disc(4, 6, 1.4) + disc(4, 12, 1.4) + disc(4, 18, 1.4),
  grid: box(3, 3, 8, 8) + box(13, 3, 8, 8) + box(3, 13, 8, 8) + box(13, 13, 8, 8),
  apps: [5, 12, 19].map((y) => [5, 12, 19].map((x) => disc(x, y, 2.2)).join("")).join(""),
  info: ring(12, 12, 9.5) + box(11, 10.5, 2, 6.5) + box(11, 7, 2, 2),
  lock: lockBody + arc(12, 9, 4, 180, 360) + bar(8, 8.8, 8, 11) + bar(16, 8.8, 16, 11) + pit(12, 15.5, 1.8),
  key: ring(7.5, 12, 5) + bar(12, 12, 22, 12) + bar(18.5, 12, 18.5, 16.5) + bar(21, 12, 21, 15.5),
  eye: "M1.5 12C4 7.2 7.8 5 12 5s8 2.2 10.5 7C20 16.8 16.2 19 12 19S4 16.8 1.5 12z" + pit(12, 12, 4.6) + disc(12, 12, 2.6),
  camera: round(2, 6, 20, 14) + box(8, 3.5, 8, 3) + pit(12, 13, 4.6) + disc(12, 13, 2.8),
  microphone: round(8.5, 2, 7, 12, 3.5) + arc(12, 10.5, 6.5, 0, 180) + box(11, 17, 2, 5),
  volume: speaker + arc(12, 12, 4.5, -55, 55) + arc(12, 12, 8.5, -55, 55),
  mute: speaker + bar(15, 9, 21, 15) + bar(21, 9, 15, 15),
  vibrate: round(7, 3, 10, 18) + slot(9, 6, 6, 11) + bar(4.5, 8, 4.5, 16) + bar(19.5, 8, 19.5, 16) + bar(1.8, 10, 1.8, 14, 1.6) + bar(22.2, 10, 22.2, 14, 1.6),
  bell,
  brightness: disc(12, 12, 4.8) + spokes(12, 12, 7, 10.6, 8),
  moon: "M14 2.5A10 10 0 1 0 21.5 15A8.2 8.2 0 0 1 14 2.5z",
  text: box(3, 4, 13, 2.6) + box(8.2, 4, 2.6, 16) + box(13, 10.5, 8.5, 2) + box(16.2, 10.5, 2.1, 9.5),
  rotate: poly([12, 5], [19, 12], [12, 19], [5, 12]) + arc(12, 12, 10, -75, -5) + arc(12, 12, 10, 105, 175),
  storage: round(3, 3, 18, 5, 1) + round(3, 9.5, 18, 5, 1) + round(3, 16, 18, 5, 1) + slot(5.5, 4.7, 2, 1.6) + slot(5.5, 11.2, 2, 1.6) + slot(5.5, 17.7, 2, 1.6),
  display: screenPhone,
  airplane: "M12 1.5c1 0 1.7 1.2 1.7 2.8V9l8.3 5v2.2l-8.3-2.6v4.6l2.5 2v1.8L12 20.8 7.8 22v-1.8l2.5-2v-4.6L2 16.2V14l8.3-5V4.3c0-1.6.7-2.8 1.7-2.8z",
  data: line([7.5, 21], [7.5, 4]) + line([3, 8.5], [7.5, 4], [12, 8.5]) + line([16.5, 3], [16.5, 20]) + line([12, 15.5], [16.5, 20], [21, 15.5]),
  hotspot: disc(12, 13, 2.4) + arc(12, 13, 5.5, 135, 405) + arc(12, 13, 9.5, 135, 405),
  card: round(2, 4.5, 20, 15) + slot(2, 8.5, 20, 3) + slot(5, 15, 5, 1.8),
  truck: box(1.5, 5, 13, 11) + poly([15.5, 8.5], [19.5, 8.5], [22.5, 12.5], [22.5, 16], [15.5, 16]) + disc(6.5, 17.5, 2.6) + disc(18, 17.5, 2.6),
  headphones: arc(12, 13, 8.5, 180, 360) + round(2.5, 13, 5, 8, 1.5) + round(16.5, 13, 5, 8, 1.5),
  watch: round(6, 6, 12, 12, 3) + slot(8.5, 8.5, 7, 7) + box(8, 1.5, 8, 4) + box(8, 18.5, 8, 4),
  backspace: poly([8, 4], [22, 4], [22, 20], [8, 20], [1.5, 12]) + "M10.8 8.200L9.6 9.400l2.7 2.7-2.7 2.7 1.2 1.2 2.7-2.7 2.7 2.7 1.2-1.2-2.7-2.7 2.7-2.7-1.2-1.2-2.7 2.700z",
  enter: bar(20, 5, 20, 13) + bar(21, 13, 5, 13) + line([10, 7.5], [4.5, 13], [10, 18.5]),
  shift: poly([12, 3], [21, 12.5], [16, 12.5], [16, 20], [8, 20], [8, 12.5], [3, 12.5]) + poly([12, 5.9], [7.6, 10.5], [10, 10.5], [10, 18], [14, 18], [14, 10.5], [16.4, 10.5]),
  shiftFilled: poly([12, 3], [21, 12.5], [16, 12.5], [16, 20], [8, 20], [8, 12.5], [3, 12.5]),
  triangleBack: poly([4.5, 12], [17.5, 4.5], [17.5, 19.5]),
  circleHome: ring(12, 12, 7.5, 2.2),
  squareRecents: frame(5, 5, 14, 14, 2.2),
}
