/** Settings: Wi-Fi networks and Bluetooth devices. */

import { field, glyphs, h, icon, iconButton, list, row, toggle } from "../kit.js"

const quote = JSON.stringify
const deviceGlyphs = { speaker: glyphs.volume, headphones: glyphs.headphones, watch: glyphs.watch, keyboard: glyphs.apps, display: glyphs.display, printer: glyphs.document }

export function setWifi(ctx, enabled) {
  const { state } = ctx
  state.wifi = enabled
  ctx.log(`wifi_changed enabled=${enabled}`)
  if (!enabled) state.wifi_network = ""
  else if (!state.wifi_network) {
    const [known] = state.wifi_networks.filter((one) => one.saved).sort((a, b) => b.strength - a.strength)
    if (known) connect(ctx, known)
  }
}

export function setBluetooth(ctx, enabled) {
  ctx.state.bluetooth = enabled
  if (!enabled) for (const device of ctx.state.bluetooth_devices) device.connected = false
  ctx.log(`bluetooth_changed enabled=${enabled}`)
}

/** Airplane mode takes Wi-Fi and Bluetooth down, and brings back what it took. */
export function setAirplaneMode(ctx, enabled) {
  const { state } = ctx
  state.airplane_mode = enabled
  ctx.log(`airplane_mode_changed enabled=${enabled}`)
  if (enabled) {
    state.before_airplane_mode = { wifi: state.wifi, bluetooth: state.bluetooth }
    if (state.wifi) setWifi(ctx, false)
    if (state.bluetooth) setBluetooth(ctx, false)
    return
  }
  const { wifi, bluetooth } = state.before_airplane_mode ?? {}
  delete state.before_airplane_mode
  if (wifi && !state.wifi) setWifi(ctx, true)
  if (bluetooth && !state.bluetooth) setBluetooth(ctx, true)
}

function connect(ctx, network) {
  network.saved = network.secured || network.saved
  ctx.state.wifi_network = network.ssid
  ctx.log(`wifi_connected ssid=${quote(network.ssid)}`)
  ctx.redraw()
}

function askPassword(ctx, network) {
  let draft = ""
  const join = () => {
    if (draft !== network.password) {
      ctx.log(`wifi_password_rejected ssid=${quote(network.ssid)}`, "W")
      ctx.toast(ctx.t("Wrong password", "密码错误"))
      return false
    }
    connect(ctx, network)
  }
  ctx.dialog({
    title: network.ssid,
    body: field({ id: "wifi_password", label: ctx.t("Password", "密码"), type: "password", autofocus: true, onInput: (value) => { draft = value } }),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Connect", "连接"), id: "connect", primary: true, onTap: join }],
  })
}

function forget(ctx, network) {
  network.saved = false
  if (ctx.state.wifi_network === network.ssid) ctx.state.wifi_network = ""
  ctx.log(`wifi_forgotten ssid=${quote(network.ssid)}`)
  ctx.redraw()
}

function showNetwork(ctx, network) {
  const connected = ctx.state.wifi_network === network.ssid
  const disconnect = () => {
    ctx.state.wifi_network = ""
    ctx.log(`wifi_disconnected ssid=${quote(network.ssid)}`)
    ctx.redraw()
  }
  ctx.dialog({
    title: network.ssid,
    body: [ctx.t(`Signal: ${network.strength} of 4`, `信号：${network.strength}/4`), network.secured ? ctx.t("Security: WPA2", "安全性：WPA2") : ctx.t("Security: none", "安全性：无")].join(ctx.t(". ", "。")),
    buttons: [
      { text: ctx.t("Cancel", "取消"), id: "cancel" },
      network.saved ? { text: ctx.t("Forget", "忘记"), id: "forget", onTap: () => forget(ctx, network) } : null,
      connected ? { text: ctx.t("Disconnect", "断开"), id: "disconnect", primary: true, onTap: disconnect } : { text: ctx.t("Connect", "连接"), id: "connect", primary: true, onTap: () => join(ctx, network) },
    ].filter(Boolean),
  })
}

function join(ctx, network) {
  if (network.secured && !network.saved) askPassword(ctx, network)
  else connect(ctx, network)
}

function addNetwork(ctx) {
  const draft = { ssid: "", password: "" }
  const save = () => {
    if (!draft.ssid.trim()) return false
    const network = { ssid: draft.ssid.trim(), strength: 3, secured: draft.password !== "", saved: true, password: draft.password }
    ctx.state.wifi_networks.push(network)
    ctx.log(`wifi_added ssid=${quote(network.ssid)}`)
    connect(ctx, network)
  }
  ctx.dialog({
    title: ctx.t("Add network", "添加网络"),
    body: h("div", {},
      field({ id: "new_ssid", label: ctx.t("Network name", "网络名称"), autofocus: true, onInput: (value) => { draft.ssid = value } }),
      field({ id: "new_password", label: ctx.t("Password (optional)", "密码（可选）"), type: "password", onInput: (value) => { draft.password = value } })),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Save", "保存"), id: "save", primary: true, onTap: save }],
  })
}

function mainSwitch(ctx, key, title, flip) {
  const value = ctx.state[key]
  const whole = row({ id: key, title, trailing: toggle({ id: `${key}_switch`, value }), onTap: () => { flip(ctx, !value); ctx.redraw() } })
  whole.classList.add("big-switch")
  return whole
}

function wifiScreen(ctx) {
  const { state } = ctx
  const rank = (network) => (network.ssid === state.wifi_network ? 100 : network.saved ? 50 : 0) + network.strength
  const items = state.wifi ? [...state.wifi_networks].sort((a, b) => rank(b) - rank(a)) : []
  const note = (network) => (network.ssid === state.wifi_network ? ctx.t("Connected", "已连接") : network.saved ? ctx.t("Saved", "已保存") : network.secured ? ctx.t("Secured", "加密") : ctx.t("Open", "开放"))
  const details = (network) => iconButton({ id: "wifi_details", glyph: glyphs.info, label: ctx.t("Details", "详情"), onTap: () => showNetwork(ctx, network), size: 20 })
  return {
    title: ctx.t("Wi-Fi", "WLAN"),
    actions: state.wifi ? iconButton({ id: "add_network", glyph: glyphs.add, label: ctx.t("Add network", "添加网络"), onTap: () => addNetwork(ctx) }) : null,
    body: list({
      id: "networks", items, rowHeight: 64, header: mainSwitch(ctx, "wifi", ctx.t("Use Wi-Fi", "使用 WLAN"), setWifi), empty: ctx.t("Turn on Wi-Fi to see networks", "开启 WLAN 以查看网络"),
      row: (network) => row({
        id: "network", icon: icon(glyphs.wifi, { color: network.strength > 2 ? "currentColor" : "var(--line)" }), title: network.ssid, subtitle: note(network),
        trailing: [network.secured ? icon(glyphs.lock, { size: 16 }) : null, details(network)],
        onTap: () => (network.ssid === state.wifi_network ? showNetwork(ctx, network) : join(ctx, network)),
      }),
    }),
  }
}

function bluetoothScreen(ctx) {
  const { state } = ctx
  const use = (device) => {
    if (!device.paired) {
      device.paired = true
      ctx.log(`bluetooth_paired device=${quote(device.name)}`)
    }
    device.connected = !device.connected
    ctx.log(`bluetooth_${device.connected ? "connected" : "disconnected"} device=${quote(device.name)}`)
    ctx.redraw()
  }
  const unpair = (device) => {
    Object.assign(device, { paired: false, connected: false })
    ctx.log(`bluetooth_unpaired device=${quote(device.name)}`)
    ctx.redraw()
  }
  const items = state.bluetooth ? [...state.bluetooth_devices].sort((a, b) => Number(b.paired) - Number(a.paired)) : []
  const note = (device) => (device.connected ? ctx.t("Connected", "已连接") : device.paired ? ctx.t("Paired", "已配对") : ctx.t("Available", "可用"))
  return {
    title: ctx.t("Bluetooth", "蓝牙"),
    body: list({
      id: "devices", items, rowHeight: 64, header: mainSwitch(ctx, "bluetooth", ctx.t("Use Bluetooth", "使用蓝牙"), setBluetooth), empty: ctx.t("Turn on Bluetooth to see devices", "开启蓝牙以查看设备"),
      row: (device) => row({
        id: "device", icon: deviceGlyphs[device.kind], title: device.name, subtitle: note(device), onTap: () => use(device),
        trailing: device.paired ? iconButton({ id: "unpair", glyph: glyphs.delete, label: ctx.t("Unpair", "取消配对"), onTap: () => unpair(device), size: 20 }) : undefined,
      }),
    }),
  }
}

export const connectionScreens = { wifi: wifiScreen, bluetooth: bluetoothScreen }
