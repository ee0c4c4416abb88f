/** The home screens, the recents screen and the status bar. */

import { clockText, dayText } from "./dates.js"
import { glyphs, h, icon, iconButton, scroll } from "./kit.js"
import { look } from "./looks.js"
import { offsetMinutes } from "./time_zones.js"

/** The clock on the glass follows the phone's time zone; apps and logs stay in UTC. */
const localNow = (shell) => shell.now() + offsetMinutes(shell.settings.time_zone) * 60000

export function statusIcons(shell) {
  const { settings } = shell
  const small = (glyph, name) => h("span", { class: "status-icon", label: name, role: "img" }, icon(glyph, { size: 15 }))
  return [
    h("span", { class: "status-time", id: "status_clock" }, clockText(localNow(shell), settings.use_24_hour, shell.language)),
    h("span", { class: "status-icons" },
      settings.vibrate ? small(glyphs.vibrate, shell.t("Vibrate", "振动")) : null,
      settings.bluetooth ? small(glyphs.bluetooth, shell.t("Bluetooth on", "蓝牙已开启")) : null,
      settings.airplane_mode ? small(glyphs.airplane, shell.t("Airplane mode", "飞行模式")) : null,
      settings.wifi ? small(settings.wifi_network ? glyphs.wifi : glyphs.wifiOff, settings.wifi_network ? `Wi-Fi ${settings.wifi_network}` : shell.t("Wi-Fi not connected", "Wi-Fi 未连接")) : null,
      !settings.airplane_mode && settings.mobile_data ? small(glyphs.signal, shell.t("Mobile data", "移动数据")) : null,
      small(settings.battery_saver ? glyphs.batterySaver : glyphs.battery, shell.t("Battery", "电池")),
      h("span", {}, `${settings.battery_percent}%`)),
  ]
}

/** What the drawer's home shows at once, in this order. */
const docked = ["clock", "notes", "mail"]

export const homeScreen = (shell) => (look.home === "drawer" ? drawerScreen(shell) : gridScreen(shell))

const tile = (shell, app, size) =>
  h("div", { class: "tile", id: `app_${app.id}`, role: "button", label: app.name[shell.language], onTap: () => shell.open(app.id) },
    appIcon(app, size), h("span", { class: "tile-name" }, app.name[shell.language]))

function gridScreen(shell) {
  const dock = shell.apps.slice(0, 4)
  const rest = shell.apps.slice(4)
  const ms = localNow(shell)
  return h("div", { class: "home" },
    h("div", { class: "home-clock", id: "home_clock" }, clockText(ms, shell.settings.use_24_hour, shell.language)),
    h("div", { class: "home-date", id: "home_date" }, dayText(ms, shell.language)),
    h("div", { class: "home-space" }),
    h("div", { class: "home-grid" }, rest.map((app) => tile(shell, app))),
    h("div", { class: "home-grid dock" }, dock.map((app) => tile(shell, app))))
}

/** Home as another vendor has it: a card with the clock, favourites as a column, and all else in a drawer below. */
function drawerScreen(shell) {
  const name = (app) => app.name[shell.language]
  const dock = docked.map((id) => shell.apps.find((app) => app.id === id)).filter(Boolean)
  const rest = shell.apps.filter((app) => !dock.includes(app)).sort((one, other) => (name(one) < name(other) ? -1 : 1))
  const ms = localNow(shell)
  return h("div", { class: "home" }, h("div", { class: "drawer", "data-scroll": "drawer" },
    h("div", { class: "drawer-page" },
      h("div", { class: "drawer-clock" },
        h("div", { class: "home-clock", id: "home_clock" }, clockText(ms, shell.settings.use_24_hour, shell.language)),
        h("div", { class: "home-date", id: "home_date" }, dayText(ms, shell.language))),
      h("div", { class: "home-space" }),
      h("div", { class: "drawer-dock" }, dock.map((app) => tile(shell, app, 48)))),
    h("div", { class: "drawer-sheet" },
      h("div", { class: "drawer-title", id: "drawer_title" }, shell.t("All apps", "全部应用")),
      h("div", { class: "home-grid" }, rest.map((app) => tile(shell, app))))))
}

export function recentsScreen(shell) {
  const { tasks, t } = shell
  return h("div", { class: "home recents" },
    h("div", { class: "recents-title" }, t("Recent apps", "最近使用的应用")),
    tasks.length === 0 ? h("div", { class: "recents-empty" }, t("No recent apps", "没有最近使用的应用")) : null,
    scroll({ id: "recents" }, tasks.map((app) => h("div", { class: "recent", id: `recent_${app.id}`, role: "button", label: app.name[shell.language], onTap: () => shell.open(app.id) },
      appIcon(app, 40), h("span", { class: "recent-name" }, app.name[shell.language]),
      iconButton({ id: `dismiss_${app.id}`, glyph: glyphs.close, label: t(`Close ${app.name.en}`, `关闭${app.name.zh}`), onTap: () => shell.dismiss(app.id), size: 20 })))),
    tasks.length > 0 ? h("button", { class: "button recents-clear", id: "clear_all", onTap: shell.dismissAll }, t("Clear all", "全部清除")) : null)
}

const appIcon = (app, size = 56) =>
  h("span", { class: "app-icon", style: { "--tint": app.color, background: app.color, color: "#fff", width: `${size}px`, height: `${size}px` } }, icon(app.glyph, { size: Math.round(size * 0.54) }))
