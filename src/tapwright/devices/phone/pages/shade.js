/** The notification shade: quick switches, and what the apps have posted. */

import { clockText, dayText } from "./dates.js"
import { listenDrag } from "./gestures.js"
import { button, glyphs, h, icon, iconButton } from "./kit.js"

/** How far a notification is pushed aside, in CSS px, to be dismissed. */
const PUSH_PX = 80

const switches = [
  ["wifi", glyphs.wifi, "Wi-Fi", "WLAN"], ["bluetooth", glyphs.bluetooth, "Bluetooth", "蓝牙"],
  ["do_not_disturb", glyphs.block, "Do Not Disturb", "勿扰模式"], ["airplane_mode", glyphs.airplane, "Airplane mode", "飞行模式"],
  ["battery_saver", glyphs.batterySaver, "Battery saver", "省电模式"], ["dark_theme", glyphs.brightness, "Dark theme", "深色主题"],
]

function notificationCard(shell, one) {
  const app = shell.apps.find(({ id }) => id === one.app)
  const dismiss = () => shell.dismissNotification(one)
  return listenDrag(h("div", { class: "notification", id: `notification_${one.app}`, role: "button", onTap: () => shell.openNotification(one) },
    h("span", { class: "notification-icon", style: { background: app.color } }, icon(app.glyph, { size: 16 })),
    h("div", { class: "row-text" },
      h("div", { class: "notification-app" }, `${app.name[shell.language]} · ${clockText(one.at, shell.settings.use_24_hour, shell.language)}`),
      h("div", { class: "row-title", id: "notification_title" }, one.title),
      h("div", { class: "notification-text" }, one.text)),
    iconButton({ id: `dismiss_notification_${one.app}`, glyph: glyphs.close, label: shell.t(`Dismiss: ${one.text}`, `清除：${one.text}`), onTap: dismiss, size: 18 })), ({ dx }) => { if (Math.abs(dx) > PUSH_PX) dismiss() })
}

/** The panel that a pull at the status bar lays over the screen. */
export function shadePanel(shell) {
  const { settings, t } = shell
  const items = shell.notifications.filter((one) => shell.apps.some(({ id }) => id === one.app))
  return h("div", { class: "shade", role: "dialog" },
    h("div", { class: "shade-head" },
      h("span", { id: "shade_date" }, dayText(shell.now(), shell.language)),
      iconButton({ id: "shade_settings", glyph: glyphs.settings, label: t("Settings", "设置"), onTap: () => shell.open("settings"), size: 22 })),
    h("div", { class: "quick-grid" }, switches.map(([key, glyph, en, zh]) => h("button", {
      class: `quick ${settings[key] ? "on" : ""}`, id: `quick_${key}`, role: "switch", "aria-checked": String(Boolean(settings[key])), onTap: () => shell.flip(key),
    }, icon(glyph, { size: 20 }), h("span", { class: "quick-name" }, t(en, zh))))),
    h("div", { class: "shade-list", "data-scroll": "shade" },
      items.length ? items.map((one) => notificationCard(shell, one)) : h("div", { class: "shade-empty" }, t("No notifications", "没有通知"))),
    items.length ? h("div", { class: "shade-foot" }, button({ id: "clear_notifications", text: t("Clear all", "全部清除"), onTap: shell.clearNotifications })) : null)
}
