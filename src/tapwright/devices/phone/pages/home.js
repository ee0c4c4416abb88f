/** The home screen, the recents screen and the status bar. */

import { clockText, dayText } from "./dates.js"
import { glyphs, h, icon, iconButton, scroll } from "./kit.js"
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

export function homeScreen(shell) {
  const dock = shell.apps.slice(0, 4)
  const rest = shell.apps.slice(4)
  const tile = (app) => h("div", { class: "tile", id: `app_${app.id}`, role: "button", label: app.name[shell.language], onTap: () => shell.open(app.id) },
    appIcon(app), h("span", { class: "tile-name" }, app.name[shell.language]))
  const ms = localNow(shell)
  return h("div", { class: "home" },
    h("div", { class: "home-clock", id: "home_clock" }, clockText(ms, shell.settings.use_24_hour, shell.language)),
    h("div", { class: "home-date", id: "home_date" }, dayText(ms, shell.language)),
    h("div", { class: "home-space" }),
    h("div", { class: "home-grid" }, rest.map(tile)),
    h("div", { class: "home-grid dock" }, dock.map(tile)))
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
  h("span", { class: "app-icon", style: { background: app.color, color: "#fff", width: `${size}px`, height: `${size}px` } }, icon(app.glyph, { size: Math.round(size * 0.54) }))
