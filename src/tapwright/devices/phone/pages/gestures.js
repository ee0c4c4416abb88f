/** Drags, and swipes from the edges of the glass: navigation without buttons. */

const SIDE_PX = 20
const BACK_PX = 36
const RISE_PX = 60
/** An upward swipe of at least this long shows the recent apps. */
const SLOW_MS = 700

/** Calls `onEnd` with how far, in CSS px, a finger went that came down on `element`; returns the element.
 *
 * Under load Chromium sometimes scrolls where `touch-action` forbids it, and cancels the finger: then it went as
 * far as it was last seen. A cancel that a page sends itself, as `listenEdges` does, ends nothing.
 */
export function listenDrag(element, onEnd) {
  let from = null
  let last = null
  const end = () => {
    const [dx, dy] = from ? [last.clientX - from.clientX, last.clientY - from.clientY] : [0, 0]
    from = null
    if (dx || dy) onEnd({ dx, dy })
  }
  element.addEventListener("pointerdown", (event) => { from = last = event })
  element.addEventListener("pointermove", (event) => { last = event })
  element.addEventListener("pointercancel", (event) => {
    if (!event.isTrusted) from = null
    end()
  })
  element.addEventListener("pointerup", (event) => {
    last = event
    end()
  })
  return element
}

const meanings = {
  left: ({ dx }) => (dx > BACK_PX ? "back" : null),
  right: ({ dx }) => (dx < -BACK_PX ? "back" : null),
  bottom: ({ dy, ms }) => (dy > -RISE_PX ? null : ms < SLOW_MS ? "home" : "recents"),
}

/** From the left or right edge inwards calls `back`; up from `bar`, at the bottom, `home` or, slowly, `recents`.
 *
 * An edge takes a swipe before whatever lies there does; a tap there is the app's. The listeners wait for
 * every move of a finger, so a phone with buttons does without.
 */
export function listenEdges(bar, acts) {
  let held = null
  const edgeAt = (x, y) => {
    if (y >= bar.getBoundingClientRect().top) return "bottom"
    if (x < SIDE_PX) return "left"
    return x > innerWidth - SIDE_PX ? "right" : null
  }
  document.addEventListener("touchstart", (event) => {
    const { clientX: x, clientY: y } = event.touches[0]
    const edge = event.touches.length === 1 ? edgeAt(x, y) : null
    held = edge && { edge, x, y, at: event.timeStamp, target: event.target, moved: false }
  }, { capture: true, passive: true })
  document.addEventListener("touchmove", (event) => {
    if (!held) return
    event.preventDefault()
    if (held.moved) return
    held.moved = true
    held.target.dispatchEvent(new PointerEvent("pointercancel", { bubbles: true }))
  }, { capture: true, passive: false })
  document.addEventListener("touchend", (event) => {
    if (!held) return
    const { edge, x, y, at } = held
    held = null
    const { clientX, clientY } = event.changedTouches[0]
    const act = meanings[edge]({ dx: clientX - x, dy: clientY - y, ms: event.timeStamp - at })
    if (act) acts[act]()
  }, { capture: true })
}
