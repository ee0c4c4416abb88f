/** The bar at the bottom: three buttons, or where there are gestures, the line that is swiped up. */

import { glyphs, h, icon } from "./kit.js"
import { look } from "./looks.js"

/** The look decides on the icons, and looks.css on the order. */
const faces = {
  backfirst: [glyphs.triangleBack, glyphs.circleHome, glyphs.squareRecents],
  backlast: [glyphs.prev, glyphs.home, glyphs.menu],
}

/** What the bar holds; `acts` has back, home and recents. */
export function navigationParts(t, acts, gestures) {
  if (gestures) return [h("span", { class: "nav-line", id: "nav_line" })]
  const [back, home, recents] = faces[look.navigation]
  const press = (id, glyph, label, onTap) => h("button", { class: "nav-button", id, label, onTap, tabindex: -1 }, icon(glyph, { size: 20 }))
  return [
    press("nav_back", back, t("Back", "返回"), acts.back),
    press("nav_home", home, t("Home", "主屏幕"), acts.home),
    press("nav_recents", recents, t("Recents", "最近任务"), acts.recents),
  ]
}
