/** The settings as data: pages of items, from which both the screens and the search are made.
 *
 * An item's kind is "switch", "choice", "slider", "edit" (each changes state[key]), "link" (opens a
 * screen) or "fact". `shown` turns a value into [en, zh]; `when` hides an item until its state requires it.
 */

import { glyphs } from "../kit.js"
import { look } from "../looks.js"

const on = (key, en, zh, more) => ({ kind: "switch", key, en, zh, ...more })
const link = (screen, en, zh, more) => ({ kind: "link", screen, en, zh, ...more })
const seconds = [15, 30, 60, 120, 300, 600, 1800]
const timeText = (s) => (s < 60 ? [`${s} seconds`, `${s} 秒`] : [`${s / 60} minute${s > 60 ? "s" : ""}`, `${s / 60} 分钟`])
const yes = [["On", "开启"], ["Off", "关闭"]]
const onOff = (value) => yes[value ? 0 : 1]
const lockNames = { none: ["None", "无"], swipe: ["Swipe", "滑动"], pin: ["PIN", "PIN 码"] }

export const pages = {
  network: {
    en: "Network & internet", zh: "网络和互联网", glyph: glyphs.wifi, hint: ["Wi-Fi, mobile, hotspot", "WLAN、移动网络、热点"],
    items: [
      link("wifi", "Wi-Fi", "WLAN", { glyph: glyphs.wifi, fact: (s) => (s.wifi ? (s.wifi_network ? [s.wifi_network, s.wifi_network] : ["Not connected", "未连接"]) : onOff(false)) }),
      on("airplane_mode", "Airplane mode", "飞行模式", { glyph: glyphs.airplane }),
      on("mobile_data", "Mobile data", "移动数据", { glyph: glyphs.data }),
      on("roaming", "Roaming", "漫游", { glyph: glyphs.globe }),
      on("data_saver", "Data saver", "流量节省", { glyph: glyphs.filter }),
      link("hotspot", "Hotspot", "热点", { glyph: glyphs.hotspot, fact: (s) => onOff(s.hotspot) }),
    ],
  },
  hotspot: {
    en: "Hotspot", zh: "热点", under: "network",
    items: [
      on("hotspot", "Use hotspot", "使用热点"),
      { kind: "edit", key: "hotspot_name", en: "Hotspot name", zh: "热点名称" },
      { kind: "edit", key: "hotspot_password", en: "Hotspot password", zh: "热点密码", atLeast: 8 },
    ],
  },
  connected: {
    en: "Connected devices", zh: "已连接的设备", glyph: glyphs.bluetooth, hint: ["Bluetooth, NFC", "蓝牙、NFC"],
    items: [
      link("bluetooth", "Bluetooth", "蓝牙", { glyph: glyphs.bluetooth, fact: (s) => onOff(s.bluetooth) }),
      on("nfc", "NFC", "NFC", { glyph: glyphs.card }),
    ],
  },
  apps: { en: "Apps", zh: "应用", glyph: glyphs.apps, hint: ["Permissions, notifications", "权限、通知"], own: true, items: [] },
  notifications: {
    en: "Notifications", zh: "通知", glyph: glyphs.bell, hint: ["History, dots, do not disturb", "历史、圆点、勿扰"],
    items: [
      on("notification_dots", "Notification dots", "通知圆点"),
      on("notification_history", "Notification history", "通知历史记录"),
      on("do_not_disturb", "Do Not Disturb", "勿扰模式"),
      on("lock_screen_notifications", "Notifications on lock screen", "锁屏通知"),
    ],
  },
  battery: {
    en: "Battery", zh: "电池", glyph: glyphs.battery, hint: ["Battery saver", "省电模式"],
    items: [
      { kind: "fact", key: "battery_percent", en: "Battery level", zh: "电量", shown: (v) => [`${v}%`, `${v}%`] },
      on("battery_saver", "Battery saver", "省电模式"),
      { kind: "choice", key: "battery_saver_below", en: "Turn on saver automatically", zh: "自动开启省电", options: [0, 5, 10, 15, 20, 30, 50], shown: (v) => (v ? [`Below ${v}%`, `低于 ${v}%`] : ["Never", "从不"]) },
      on("adaptive_battery", "Adaptive battery", "自适应电池"),
    ],
  },
  storage: { en: "Storage", zh: "存储", glyph: glyphs.storage, hint: ["71 of 128 GB used", "已用 71 / 128 GB"], own: true, items: [on("storage_saver", "Storage saver", "存储空间管理")] },
  sound: {
    en: "Sound & vibration", zh: "声音和振动", glyph: glyphs.volume, hint: ["Volume, ringtone", "音量、铃声"],
    items: [
      ...[["media_volume", "Media volume", "媒体音量"], ["ring_volume", "Ring volume", "铃声音量"], ["notification_volume", "Notification volume", "通知音量"], ["alarm_volume", "Alarm volume", "闹钟音量"]]
        .map(([key, en, zh]) => ({ kind: "slider", key, en, zh, min: 0, max: 15 })),
      on("vibrate", "Vibrate", "振动"),
      on("do_not_disturb", "Do Not Disturb", "勿扰模式"),
      link("ringtones", "Phone ringtone", "手机铃声", { params: { key: "ringtone" }, id: "ringtone", fact: (s) => [s.ringtone, s.ringtone] }),
      link("ringtones", "Notification sound", "通知提示音", { params: { key: "notification_sound" }, id: "notification_sound", fact: (s) => [s.notification_sound, s.notification_sound] }),
      on("touch_sounds", "Touch sounds", "触摸提示音"),
    ],
  },
  display: {
    en: "Display", zh: "显示", glyph: glyphs.brightness, hint: ["Brightness, dark theme, font size", "亮度、深色主题、字号"],
    items: [
      { kind: "slider", key: "brightness", en: "Brightness level", zh: "亮度", min: 0, max: 100, step: 5 },
      on("adaptive_brightness", "Adaptive brightness", "自动调节亮度"),
      on("dark_theme", "Dark theme", "深色主题"),
      on("night_light", "Night light", "护眼模式"),
      { kind: "choice", key: "font_size", en: "Font size", zh: "字号", options: ["small", "default", "large"], shown: (v) => ({ small: ["Small", "小"], default: ["Default", "默认"], large: ["Large", "大"] })[v] },
      { kind: "choice", key: "screen_timeout_s", en: "Screen timeout", zh: "自动锁屏", options: seconds, shown: timeText },
      on("auto_rotate", "Auto-rotate screen", "自动旋转屏幕"),
    ],
  },
  location: {
    en: "Location", zh: "位置信息", glyph: glyphs.location, hint: ["On", "开启"], hintOf: (s) => onOff(s.location),
    items: [
      on("location", "Use location", "使用位置信息"),
      link("permission", "App location permissions", "应用位置权限", { params: { permission: "location" } }),
      on("location_scanning", "Wi-Fi scanning", "WLAN 扫描"),
      on("emergency_location", "Emergency location service", "紧急位置服务"),
    ],
  },
  security: {
    en: "Security & privacy", zh: "安全和隐私", glyph: glyphs.lock, hint: ["Screen lock, permissions", "锁屏、权限"],
    items: [
      { kind: "link", screen: "lock", key: "screen_lock", en: "Screen lock", zh: "屏幕锁定", fact: (s) => lockNames[s.screen_lock] },
      on("find_my_device", "Find my device", "查找我的设备"),
      on("unknown_sources", "Install unknown apps", "安装未知应用"),
      ...[["camera", "Camera access", "相机权限"], ["microphone", "Microphone access", "麦克风权限"], ["contacts", "Contacts access", "联系人权限"]]
        .map(([permission, en, zh]) => link("permission", en, zh, { params: { permission }, id: `permission_${permission}` })),
    ],
  },
  accounts: { en: "Accounts", zh: "账号", glyph: glyphs.person, hint: ["Sync, add account", "同步、添加账号"], own: true, items: [] },
  system: {
    en: "System", zh: "系统", glyph: glyphs.settings, hint: ["Language, date & time", "语言、日期和时间"],
    items: [
      { kind: "choice", key: "language", en: "Language", zh: "语言", glyph: glyphs.globe, options: ["en", "zh"], shown: (v) => (v === "zh" ? ["简体中文", "简体中文"] : ["English", "English"]) },
      link("dateTime", "Date & time", "日期和时间", { glyph: glyphs.clock, fact: (s) => [s.time_zone, s.time_zone] }),
      link("developer", "Developer options", "开发者选项", { glyph: glyphs.list, when: (s) => s.developer_options }),
      { kind: "link", screen: "reset", en: "Reset options", zh: "重置选项", glyph: glyphs.reset },
    ],
  },
  dateTime: {
    en: "Date & time", zh: "日期和时间", under: "system",
    items: [
      on("automatic_time", "Set time automatically", "自动设置时间"),
      on("use_24_hour", "Use 24-hour format", "使用 24 小时制"),
      link("timeZone", "Time zone", "时区", { fact: (s) => [s.time_zone, s.time_zone] }),
    ],
  },
  developer: {
    en: "Developer options", zh: "开发者选项", under: "system",
    items: [on("stay_awake", "Stay awake", "保持唤醒"), on("usb_debugging", "USB debugging", "USB 调试")],
  },
  about: {
    en: "About phone", zh: "关于手机", glyph: glyphs.info, hint: ["Device name, build number", "设备名称、版本号"],
    items: [
      { kind: "edit", key: "device_name", en: "Device name", zh: "设备名称" },
      { kind: "fact", en: "Model", zh: "型号", shown: () => ["Tapwright One", "Tapwright One"] },
      { kind: "fact", en: "Serial number", zh: "序列号", shown: () => ["TW000000000042", "TW000000000042"] },
      { kind: "fact", en: "System version", zh: "系统版本", shown: () => ["16", "16"] },
      { kind: "link", screen: "build", key: "build_number", en: "Build number", zh: "版本号", fact: (s) => [s.build_number, s.build_number] },
    ],
  },
}

const topPages = Object.keys(pages).filter((id) => !pages[id].under)
/** As a vendor has them who starts with people and their devices. */
const peopleFirst = ["accounts", "connected", "security", "notifications", "sound", "display", "network", "location", "battery", "apps", "storage", "about", "system"]

/** Pages of the first level, in the order of the phone's look. */
export const pageOrder = () => (look.settings === "people" ? peopleFirst : topPages)
