/** Settings: pages of switches and choices, and the screens that need more than that. */

import { button, card, chip, chips, column, divider, field, glyphs, h, iconButton, list, row, scroll, section, slider, text, toggle } from "../kit.js"
import { isGranted, setGranted } from "../permissions.js"
import { offsetText, timeZones } from "../time_zones.js"
import { permissionNames, ringtones, seedSettings } from "./settings_data.js"
import { connectionScreens, setAirplaneMode, setBluetooth, setWifi } from "./settings_network.js"
import { pageOrder, pages } from "./settings_pages.js"

const quote = JSON.stringify
const found = (needle, ...texts) => texts.some((one) => one.toLowerCase().includes(needle.trim().toLowerCase()))
const permissionLabels = { camera: ["Camera", "相机"], microphone: ["Microphone", "麦克风"], location: ["Location", "位置信息"], contacts: ["Contacts", "联系人"], storage: ["Storage", "存储"] }
const permissionGlyphs = { camera: glyphs.camera, microphone: glyphs.microphone, location: glyphs.location, contacts: glyphs.person, storage: glyphs.storage }
const accountKinds = { personal: ["Personal", "个人"], work: ["Work", "工作"], cloud: ["Cloud", "云端"] }

export function setSwitch(ctx, key, enabled) {
  if (key === "airplane_mode") setAirplaneMode(ctx, enabled)
  else if (key === "wifi") setWifi(ctx, enabled)
  else if (key === "bluetooth") setBluetooth(ctx, enabled)
  else {
    ctx.state[key] = enabled
    ctx.log(`${key}_changed enabled=${enabled}`)
  }
  ctx.redraw()
}

function setValue(ctx, key, value) {
  ctx.state[key] = value
  ctx.log(`${key}_changed value=${quote(value)}`)
  ctx.redraw()
}

function chooseValue(ctx, item) {
  ctx.dialog({
    title: ctx.t(item.en, item.zh),
    body: h("div", { role: "radiogroup" }, item.options.map((value) => row({
      id: `${item.key}_${value}`, title: ctx.t(...item.shown(value)), checked: ctx.state[item.key] === value,
      onTap: () => { ctx.closeDialog(); setValue(ctx, item.key, value) },
    }))),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }],
  })
}

function editValue(ctx, item) {
  let draft = ctx.state[item.key]
  const least = item.atLeast ?? 1
  const save = () => {
    if ([...draft.trim()].length < least) {
      ctx.toast(ctx.t(`Use at least ${least} characters`, `至少 ${least} 个字符`))
      return false
    }
    setValue(ctx, item.key, draft.trim())
  }
  ctx.dialog({
    title: ctx.t(item.en, item.zh),
    body: field({ id: `${item.key}_field`, label: ctx.t(item.en, item.zh), value: draft, autofocus: true, onInput: (value) => { draft = value } }),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Save", "保存"), id: "save", primary: true, onTap: save }],
  })
}

export function switchRow(ctx, { key, en, zh, glyph, big }) {
  const value = ctx.state[key]
  const title = ctx.t(en, zh)
  const whole = row({ id: key, icon: glyph, title, trailing: toggle({ id: `${key}_switch`, value }), onTap: () => setSwitch(ctx, key, !value) })
  if (big) whole.classList.add("big-switch")
  return whole
}

function itemRow(ctx, item) {
  const title = ctx.t(item.en, item.zh)
  const id = item.id ?? item.key ?? item.screen ?? item.en.toLowerCase().replaceAll(" ", "_")
  const value = ctx.state[item.key]
  switch (item.kind) {
    case "switch": return switchRow(ctx, item)
    case "choice": return row({ id, icon: item.glyph, title, subtitle: ctx.t(...item.shown(value)), onTap: () => chooseValue(ctx, item) })
    case "edit": return row({ id, icon: item.glyph, title, subtitle: value, onTap: () => editValue(ctx, item) })
    case "slider": return h("div", { class: "slider-row" }, h("div", { class: "slider-name" }, h("span", {}, title), h("span", {}, item.max === 100 ? `${value}%` : String(value))),
      slider({ id, label: title, value, min: item.min, max: item.max, step: item.step, onChange: (next) => setValue(ctx, item.key, next) }))
    case "fact": return row({ id, title, subtitle: ctx.t(...item.shown(value)) })
    case "link": return row({ id, icon: item.glyph, title, subtitle: item.fact ? ctx.t(...item.fact(ctx.state)) : undefined, onTap: () => followLink(ctx, item) })
  }
}

function followLink(ctx, item) {
  if (item.screen === "build") tapBuildNumber(ctx)
  else ctx.go(item.screen, item.params)
}

/** Seven taps make a developer, as on every phone. */
function tapBuildNumber(ctx) {
  ctx.ui.taps = (ctx.ui.taps ?? 0) + 1
  if (ctx.state.developer_options) ctx.toast(ctx.t("You are already a developer", "您已处于开发者模式"))
  else if (ctx.ui.taps < 7) ctx.toast(ctx.t(`${7 - ctx.ui.taps} more to become a developer`, `再点击 ${7 - ctx.ui.taps} 次即可进入开发者模式`))
  else {
    setSwitch(ctx, "developer_options", true)
    ctx.toast(ctx.t("You are now a developer", "您已进入开发者模式"))
  }
}

const visible = (ctx, item) => !item.when || item.when(ctx.state)

const pageScreen = (id) => (ctx) => ({
  title: ctx.t(pages[id].en, pages[id].zh),
  body: scroll({ id }, pages[id].items.filter((item) => visible(ctx, item)).map((item) => itemRow(ctx, item))),
})

/** Every item a search can find, with the page that holds it. */
function searchIndex(ctx) {
  const entries = Object.entries(pages).flatMap(([id, page]) => [
    { title: ctx.t(page.en, page.zh), path: page.under ? ctx.t(pages[page.under].en, pages[page.under].zh) : "", screen: id },
    ...page.items.filter((item) => visible(ctx, item) && !pages[item.screen]).map((item) => ({
      title: ctx.t(item.en, item.zh), path: ctx.t(page.en, page.zh), screen: item.kind === "link" && item.screen !== "build" ? item.screen : id, params: item.params,
    })),
  ])
  return entries.filter((entry) => found(ctx.ui.search, entry.title, entry.path))
}

function mainScreen(ctx) {
  ctx.ui.search ??= ""
  const searching = ctx.ui.search.trim() !== ""
  const header = field({ id: "search", type: "search", placeholder: ctx.t("Search settings", "搜索设置"), value: ctx.ui.search, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } })
  const pageRow = (id) => {
    const page = pages[id]
    return row({ id: `page_${id}`, icon: page.glyph, title: ctx.t(page.en, page.zh), subtitle: ctx.t(...(page.hintOf?.(ctx.state) ?? page.hint)), onTap: () => ctx.go(id) })
  }
  const resultRow = (entry) => row({ id: "result", icon: glyphs.search, title: entry.title, subtitle: entry.path, onTap: () => ctx.go(entry.screen, entry.params) })
  return {
    title: ctx.t("Settings", "设置"),
    body: list({ id: "settings", header, items: searching ? searchIndex(ctx) : pageOrder(), rowHeight: 66, row: searching ? resultRow : pageRow, empty: ctx.t("No results", "没有结果") }),
  }
}

function ringtonesScreen(ctx, { key }) {
  const items = ringtones[ctx.state.language === "zh" || ringtones.zh.includes(ctx.state[key]) ? "zh" : "en"]
  return {
    title: key === "ringtone" ? ctx.t("Phone ringtone", "手机铃声") : ctx.t("Notification sound", "通知提示音"),
    body: list({ id: "ringtones", items, rowHeight: 56, row: (name) => row({ id: "ringtone", icon: glyphs.music, title: name, checked: ctx.state[key] === name, onTap: () => setValue(ctx, key, name) }) }),
  }
}

function timeZoneScreen(ctx) {
  ctx.ui.search ??= ""
  const items = timeZones.filter((zone) => found(ctx.ui.search, zone.id, offsetText(zone.offset), ...zone.cities.flatMap((city) => [city.en, city.zh])))
  const choose = (zone) => { setValue(ctx, "time_zone", zone.id); ctx.back() }
  return {
    title: ctx.t("Time zone", "时区"),
    body: list({
      id: "time_zones", items, rowHeight: 66, empty: ctx.t("No results", "没有结果"),
      header: field({ id: "search", type: "search", placeholder: ctx.t("Search city or region", "搜索城市或地区"), value: ctx.ui.search, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } }),
      row: (zone) => row({ id: "time_zone", title: zone.cities.map((city) => ctx.t(city.en, city.zh)).join(ctx.t(", ", "、")), subtitle: `${zone.id} · ${offsetText(zone.offset)}`, checked: ctx.state.time_zone === zone.id, onTap: () => choose(zone) }),
    }),
  }
}

const appFilters = { all: ["All", "全部"], running: ["Running", "运行中"], notifying: ["Notifications on", "已开通知"], system: ["System", "系统"] }
const appTest = { all: () => true, running: (app) => app.running, notifying: (app) => app.notifications, system: (app) => app.system }

function appsScreen(ctx) {
  ctx.ui.search ??= ""
  ctx.ui.filter ??= "all"
  const items = ctx.state.apps.filter((app) => appTest[ctx.ui.filter](app) && found(ctx.ui.search, app.name, app.package))
  return {
    title: ctx.t("Apps", "应用"),
    body: column(
      field({ id: "search", type: "search", placeholder: ctx.t("Search apps", "搜索应用"), value: ctx.ui.search, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } }),
      chips("filters", Object.entries(appFilters).map(([id, names]) => chip({ id: `filter_${id}`, text: ctx.t(...names), selected: ctx.ui.filter === id, onTap: () => { ctx.ui.filter = id; ctx.redraw() } }))),
      list({ id: "apps", items, rowHeight: 66, empty: ctx.t("No apps", "没有应用"), row: (app) => row({ id: "app", avatar: app.name, title: app.name, subtitle: `${app.size_mb + app.data_mb + app.cache_mb} MB`, onTap: () => ctx.go("app", { id: app.id }) }) })),
  }
}

function appScreen(ctx, { id }) {
  const app = ctx.state.apps.find((one) => one.id === id)
  const change = (name, act) => () => { act(); ctx.log(`${name} package=${app.package}`); ctx.redraw() }
  const confirm = (title, body, name, act) => () => ctx.dialog({
    title, body,
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("OK", "确定"), id: "ok", primary: true, onTap: change(name, act) }],
  })
  const setPermission = (name) => {
    setGranted(ctx.state, app, name, !isGranted(ctx.state, app, name))
    ctx.log(`app_permission_changed package=${app.package} permission=${name} granted=${isGranted(ctx.state, app, name)}`)
    ctx.redraw()
  }
  const setNotifications = () => {
    app.notifications = !app.notifications
    ctx.log(`app_notifications_changed package=${app.package} enabled=${app.notifications}`)
    ctx.redraw()
  }
  const uninstall = () => { ctx.state.apps.splice(ctx.state.apps.indexOf(app), 1); ctx.back() }
  const notifications = ctx.t("Notifications", "通知")
  return {
    title: ctx.t("App info", "应用信息"),
    body: scroll({ id: "app" },
      row({ id: "app_name", avatar: app.name, title: app.name, subtitle: app.package }),
      h("div", { class: "button-line" },
        button({ id: "force_stop", text: ctx.t("Force stop", "强行停止"), disabled: !app.running, onTap: confirm(ctx.t("Force stop?", "强行停止？"), ctx.t("The app may misbehave.", "应用可能会出现异常。"), "app_stopped", () => { app.running = false }) }),
        app.system ? null : button({ id: "uninstall", text: ctx.t("Uninstall", "卸载"), danger: true, onTap: confirm(ctx.t(`Uninstall ${app.name}?`, `卸载${app.name}？`), ctx.t("Its data will be deleted.", "其数据将被删除。"), "app_uninstalled", uninstall) })),
      section(notifications),
      row({ id: "notifications", icon: glyphs.bell, title: notifications, trailing: toggle({ id: "notifications_switch", value: app.notifications }), onTap: setNotifications }),
      section(ctx.t("Permissions", "权限")),
      permissionNames.map((name) => row({
        id: `permission_${name}`, icon: permissionGlyphs[name], title: ctx.t(...permissionLabels[name]),
        trailing: toggle({ id: `permission_${name}_switch`, value: isGranted(ctx.state, app, name) }), onTap: () => setPermission(name),
      })),
      section(ctx.t("Storage", "存储")),
      row({ id: "app_size", title: ctx.t("App size", "应用大小"), trailing: `${app.size_mb} MB` }),
      row({ id: "clear_data", title: ctx.t("Clear data", "清除数据"), trailing: `${app.data_mb} MB`, onTap: confirm(ctx.t("Clear data?", "清除数据？"), ctx.t("Accounts and settings of this app will be lost.", "此应用的账号和设置将丢失。"), "app_data_cleared", () => { app.data_mb = 0; app.cache_mb = 0 }) }),
      row({ id: "clear_cache", title: ctx.t("Clear cache", "清除缓存"), trailing: `${app.cache_mb} MB`, onTap: change("app_cache_cleared", () => { app.cache_mb = 0 }) })),
  }
}

function permissionScreen(ctx, { permission }) {
  const flip = (app) => {
    setGranted(ctx.state, app, permission, !isGranted(ctx.state, app, permission))
    ctx.log(`app_permission_changed package=${app.package} permission=${permission} granted=${isGranted(ctx.state, app, permission)}`)
    ctx.redraw()
  }
  return {
    title: ctx.t(...permissionLabels[permission]),
    body: list({ id: "permission_apps", items: ctx.state.apps, rowHeight: 60, row: (app) => row({ id: "permission_app", avatar: app.name, title: app.name, trailing: toggle({ id: "permission_switch", value: isGranted(ctx.state, app, permission) }), onTap: () => flip(app) }) }),
  }
}

function storageScreen(ctx) {
  const { storage_total_gb: total, storage_used_gb: used, apps } = ctx.state
  const share = (part) => ({ width: `${(part / total) * 100}%` })
  const appsGb = Math.round(apps.reduce((sum, app) => sum + app.size_mb + app.data_mb + app.cache_mb, 0) / 1024)
  const free = () => {
    const freed = apps.reduce((sum, app) => sum + app.cache_mb, 0)
    for (const app of apps) app.cache_mb = 0
    ctx.log(`storage_freed mb=${freed}`)
    ctx.toast(ctx.t(`${freed} MB freed`, `已释放 ${freed} MB`))
  }
  const part = (id, glyph, en, zh, gb, onTap) => row({ id, icon: glyph, title: ctx.t(en, zh), trailing: `${gb} GB`, onTap })
  return {
    title: ctx.t("Storage", "存储"),
    body: scroll({ id: "storage" },
      card({ id: "storage_used" },
        text(ctx.t(`${used} GB used of ${total} GB`, `已用 ${used} GB，共 ${total} GB`), { size: 17, weight: 600 }),
        h("div", { class: "meter" }, h("span", { style: share(used) }))),
      part("storage_apps", glyphs.apps, "Apps", "应用", appsGb, () => ctx.go("apps")),
      part("storage_files", glyphs.folder, "Files", "文件", 9, () => ctx.open("files")),
      part("storage_system", glyphs.settings, "System", "系统", used - appsGb - 9),
      switchRow(ctx, pages.storage.items[0]),
      h("div", { class: "button-line" }, button({ id: "free_up", text: ctx.t("Free up space", "释放空间"), primary: true, onTap: free }))),
  }
}

function lockScreen(ctx) {
  const choose = (value) => {
    if (value === "pin") return askPin(ctx)
    ctx.state.pin = ""
    setValue(ctx, "screen_lock", value)
  }
  const option = (value, en, zh) => row({ id: `lock_${value}`, icon: value === "pin" ? glyphs.lock : value === "swipe" ? glyphs.display : glyphs.block, title: ctx.t(en, zh), checked: ctx.state.screen_lock === value, onTap: () => choose(value) })
  return {
    title: ctx.t("Screen lock", "屏幕锁定"),
    body: scroll({ id: "lock" }, option("none", "None", "无"), option("swipe", "Swipe", "滑动"), option("pin", "PIN", "PIN 码")),
  }
}

function askPin(ctx) {
  let draft = ""
  const save = () => {
    if (!/^\d{4,8}$/.test(draft)) {
      ctx.toast(ctx.t("Use 4 to 8 digits", "请输入 4 到 8 位数字"))
      return false
    }
    ctx.state.pin = draft
    setValue(ctx, "screen_lock", "pin")
  }
  ctx.dialog({
    title: ctx.t("Set a PIN", "设置 PIN 码"),
    body: field({ id: "pin", label: ctx.t("4 to 8 digits", "4 到 8 位数字"), type: "number", autofocus: true, onInput: (value) => { draft = value } }),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Save", "保存"), id: "save", primary: true, onTap: save }],
  })
}

function accountsScreen(ctx) {
  const flip = (account) => {
    account.sync = !account.sync
    ctx.log(`account_sync_changed address=${account.address} enabled=${account.sync}`)
    ctx.redraw()
  }
  const remove = (account) => () => ctx.dialog({
    title: ctx.t("Remove account?", "移除账号？"), body: account.address,
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, {
      text: ctx.t("Remove", "移除"), id: "remove", primary: true,
      onTap: () => { ctx.state.accounts = ctx.state.accounts.filter((one) => one !== account); ctx.log(`account_removed address=${account.address}`) },
    }],
  })
  return {
    title: ctx.t("Accounts", "账号"),
    body: scroll({ id: "accounts" },
      ctx.state.accounts.map((account) => row({
        id: "account", avatar: account.address, title: account.address, subtitle: ctx.t(...accountKinds[account.kind]), onTap: () => flip(account),
        trailing: [toggle({ id: "account_sync", label: ctx.t("Sync", "同步"), value: account.sync }), iconButton({ id: "account_remove", glyph: glyphs.delete, label: ctx.t("Remove", "移除"), onTap: remove(account) })],
      })),
      divider(),
      row({ id: "add_account", icon: glyphs.add, title: ctx.t("Add account", "添加账号"), onTap: () => addAccount(ctx) })),
  }
}

function addAccount(ctx) {
  let draft = ""
  const save = () => {
    if (!/^\S+@\S+\.\S+$/.test(draft)) {
      ctx.toast(ctx.t("Enter an e-mail address", "请输入邮箱地址"))
      return false
    }
    ctx.state.accounts.push({ id: Math.max(0, ...ctx.state.accounts.map((one) => one.id)) + 1, kind: "personal", address: draft, sync: true })
    ctx.log(`account_added address=${draft}`)
  }
  ctx.dialog({
    title: ctx.t("Add account", "添加账号"),
    body: field({ id: "address", label: ctx.t("E-mail", "邮箱"), type: "email", autofocus: true, onInput: (value) => { draft = value } }),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Add", "添加"), id: "add", primary: true, onTap: save }],
  })
}

function resetScreen(ctx) {
  const ask = (name, en, zh, act) => row({
    id: name, icon: glyphs.reset, title: ctx.t(en, zh),
    onTap: () => ctx.dialog({
      title: ctx.t(`${en}?`, `${zh}？`),
      buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Reset", "重置"), id: "ok", primary: true, onTap: () => { act(); ctx.log(name); ctx.toast(ctx.t("Done", "已完成")) } }],
    }),
  })
  const forget = () => {
    for (const network of ctx.state.wifi_networks) network.saved = false
    for (const device of ctx.state.bluetooth_devices) Object.assign(device, { paired: false, connected: false })
    ctx.state.wifi_network = ""
  }
  return {
    title: ctx.t("Reset options", "重置选项"),
    body: scroll({ id: "reset" },
      ask("network_reset", "Reset Wi-Fi and Bluetooth", "重置 WLAN 和蓝牙", forget),
      ask("app_preferences_reset", "Reset app preferences", "重置应用偏好设置", () => { for (const app of ctx.state.apps) app.notifications = true })),
  }
}

const ownScreens = { ...connectionScreens, apps: appsScreen, app: appScreen, permission: permissionScreen, storage: storageScreen, accounts: accountsScreen, lock: lockScreen, reset: resetScreen, ringtones: ringtonesScreen, timeZone: timeZoneScreen }

export default {
  id: "settings",
  package: "org.tapwright.settings",
  name: { en: "Settings", zh: "设置" },
  color: "#5f6b7a",
  glyph: glyphs.settings,
  seed: (random, language) => seedSettings(random, language),
  home: "main",
  screens: { main: mainScreen, ...Object.fromEntries(Object.keys(pages).filter((id) => !pages[id].own).map((id) => [id, pageScreen(id)])), ...ownScreens },
}
