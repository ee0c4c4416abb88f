/** Clock: alarms, world clock, timers and a stopwatch, all on the phone's virtual time. */

import { clockText, DAY_MS, dayText, two, weekdayLetters, weekdays } from "../dates.js"
import { button, card, column, empty, fab, field, glyphs, h, icon, iconButton, list, row, scroll, section, tabs, text, toggle } from "../kit.js"
import { pickTime, timeText } from "../pickers.js"
import { offsetMinutes, offsetText, timeZones } from "../time_zones.js"
import { seedClock } from "./clock_data.js"

const quote = JSON.stringify
const SNOOZE_MS = 10 * 60000
const cities = timeZones.flatMap((zone) => zone.cities.map((city) => ({ ...city, zone: zone.id, offset: zone.offset }))).sort((a, b) => (a.en < b.en ? -1 : 1))
const cityName = (ctx, name) => { const city = cities.find((one) => one.en === name); return city ? ctx.t(city.en, city.zh) : name }
const timeOf = (alarm) => `${two(alarm.hour)}:${two(alarm.minute)}`
const nextId = (items) => Math.max(0, ...items.map((one) => one.id)) + 1
const localOffset = (ctx) => offsetMinutes(ctx.all.settings.time_zone) * 60000

/** "1:05:09", "5:09" — hours only when there are any; rounded up, so that a timer ends at 0:00. */
function spanText(ms) {
  const total = Math.ceil(ms / 1000)
  const [hour, minute, second] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60]
  return hour ? `${hour}:${two(minute)}:${two(second)}` : `${minute}:${two(second)}`
}

const stopwatchText = (ms) => `${two(Math.floor(ms / 60000))}:${two(Math.floor(ms / 1000) % 60)}.${two(Math.floor(ms / 10) % 100)}`

function repeatText(ctx, repeat) {
  const key = repeat.join("")
  if (key === "") return ctx.t("Once", "仅一次")
  if (key === "0123456") return ctx.t("Every day", "每天")
  if (key === "12345") return ctx.t("Weekdays", "工作日")
  if (key === "06") return ctx.t("Weekends", "周末")
  return repeat.map((day) => (ctx.language === "zh" ? `周${weekdayLetters.zh[day]}` : weekdays.en[day].slice(0, 3))).join(ctx.t(", ", "、"))
}

/** When the alarm next rings after `from`, in UTC ms. */
function nextRing(ctx, alarm, from) {
  const shift = localOffset(ctx)
  const midnight = Math.floor((from + shift) / DAY_MS) * DAY_MS
  for (let day = 0; day <= 7; day++) {
    const at = midnight + day * DAY_MS + (alarm.hour * 60 + alarm.minute) * 60000
    if (at - shift > from && (alarm.repeat.length === 0 || alarm.repeat.includes(new Date(at).getUTCDay()))) return at - shift
  }
}

function setAlarm(ctx, alarm, enabled) {
  alarm.enabled = enabled
  delete alarm.snoozed_until
  ctx.log(`alarm_${enabled ? "enabled" : "disabled"} id=${alarm.id} time=${timeOf(alarm)} label=${quote(alarm.label)}`)
  ctx.redraw()
}

function deleteAlarm(ctx, alarm) {
  ctx.state.alarms = ctx.state.alarms.filter((one) => one.id !== alarm.id)
  ctx.log(`alarm_deleted id=${alarm.id} time=${timeOf(alarm)} label=${quote(alarm.label)}`)
}

function alarmsTab(ctx) {
  const items = [...ctx.state.alarms].sort((a, b) => a.hour * 60 + a.minute - b.hour * 60 - b.minute || a.id - b.id)
  const rings = items.filter((one) => one.enabled).map((one) => nextRing(ctx, one, ctx.now()))
  const next = rings.length ? Math.min(...rings) + localOffset(ctx) : null
  const soon = next ? `${ctx.t("Next alarm", "下一个闹钟")}: ${dayText(next, ctx.language)} ${ctx.time(next)}` : ctx.t("No alarm is on", "没有开启的闹钟")
  const askDelete = (alarm) => ctx.menu([
    { text: ctx.t("Edit", "编辑"), id: "edit", glyph: glyphs.edit, onTap: () => ctx.go("alarm", { id: alarm.id }) },
    { text: ctx.t("Delete", "删除"), id: "delete", glyph: glyphs.delete, danger: true, onTap: () => { deleteAlarm(ctx, alarm); ctx.redraw() } },
  ])
  return list({
    id: "alarms", items, rowHeight: 84, header: text(soon, { id: "next_alarm", size: 13, color: "var(--muted)" }), empty: ctx.t("No alarms", "没有闹钟"),
    row: (alarm) => row({
      id: "alarm", label: `${timeText(ctx, timeOf(alarm))} ${alarm.label}`, onTap: () => ctx.go("alarm", { id: alarm.id }), onLongPress: () => askDelete(alarm),
      title: h("span", { class: "clock-time", style: alarm.enabled ? {} : { color: "var(--muted)" } }, timeText(ctx, timeOf(alarm))),
      subtitle: `${alarm.label ? `${alarm.label} · ` : ""}${repeatText(ctx, alarm.repeat)}`,
      trailing: toggle({ id: "alarm_switch", label: `${timeText(ctx, timeOf(alarm))} ${alarm.label}`, value: alarm.enabled, onTap: () => setAlarm(ctx, alarm, !alarm.enabled) }),
    }),
  })
}

function alarmScreen(ctx, { id }) {
  const old = ctx.state.alarms.find((one) => one.id === id)
  const draft = (ctx.ui.draft ??= old ? structuredClone(old) : { hour: 8, minute: 0, label: "", repeat: [], enabled: true, vibrate: true })
  const save = () => {
    const saved = { ...draft, id: old?.id ?? nextId(ctx.state.alarms), label: draft.label.trim(), enabled: true }
    if (old) Object.assign(old, saved)
    else ctx.state.alarms.push(saved)
    ctx.log(`alarm_saved id=${saved.id} time=${timeOf(saved)} label=${quote(saved.label)} repeat=${saved.repeat.join("") || "none"}`)
    ctx.back()
    ctx.toast(ctx.t(`Alarm set for ${timeText(ctx, timeOf(saved))}`, `闹钟已设为 ${timeText(ctx, timeOf(saved))}`))
  }
  const flipDay = (day) => {
    draft.repeat = draft.repeat.includes(day) ? draft.repeat.filter((one) => one !== day) : [...draft.repeat, day].sort()
    ctx.redraw()
  }
  const pick = () => pickTime(ctx, { time: timeOf(draft), onPick: (time) => { [draft.hour, draft.minute] = time.split(":").map(Number); ctx.redraw() } })
  return {
    title: old ? ctx.t("Edit alarm", "编辑闹钟") : ctx.t("New alarm", "新建闹钟"),
    actions: [
      old ? iconButton({ id: "delete", glyph: glyphs.delete, label: ctx.t("Delete", "删除"), onTap: () => { deleteAlarm(ctx, old); ctx.back() } }) : null,
      iconButton({ id: "save", glyph: glyphs.check, label: ctx.t("Save", "保存"), onTap: save }),
    ],
    body: scroll({ id: "alarm_form" },
      h("button", { class: "big-time", id: "alarm_time", label: ctx.t("Time", "时间"), style: { width: "100%" }, onTap: pick }, timeText(ctx, timeOf(draft))),
      field({ id: "alarm_label", label: ctx.t("Label", "标签"), value: draft.label, onInput: (value) => { draft.label = value } }),
      section(ctx.t("Repeat", "重复")),
      h("div", { class: "center-line", style: { gap: "8px" } }, weekdayLetters[ctx.language].map((letter, day) => h("button", {
        class: `weekday ${draft.repeat.includes(day) ? "selected" : ""}`, id: `repeat_${day}`, label: weekdays[ctx.language][day], "aria-pressed": String(draft.repeat.includes(day)), onTap: () => flipDay(day),
      }, letter))),
      row({ id: "vibrate", icon: glyphs.vibrate, title: ctx.t("Vibrate", "振动"), trailing: toggle({ id: "vibrate_switch", value: draft.vibrate }), onTap: () => { draft.vibrate = !draft.vibrate; ctx.redraw() } })),
  }
}

function worldTab(ctx) {
  const here = localOffset(ctx) / 60000
  const difference = (offset) => {
    const hours = (offset - here) / 60
    if (hours === 0) return ctx.t("Same time", "时间相同")
    return ctx.t(`${Math.abs(hours)} h ${hours > 0 ? "ahead" : "behind"}`, `${hours > 0 ? "快" : "慢"} ${Math.abs(hours)} 小时`)
  }
  const remove = (entry) => {
    ctx.state.world_clock = ctx.state.world_clock.filter((one) => one !== entry)
    ctx.log(`city_removed city=${quote(entry.city)}`)
    ctx.redraw()
  }
  return list({
    id: "world", items: ctx.state.world_clock, rowHeight: 80, empty: ctx.t("No cities", "没有城市"),
    header: text(`${ctx.t("Here", "本地")}: ${ctx.time(ctx.now() + localOffset(ctx))} (${offsetText(here)})`, { size: 13, color: "var(--muted)" }),
    row: (entry) => {
      const offset = offsetMinutes(entry.zone)
      const at = ctx.now() + offset * 60000
      return row({
        id: "city", title: cityName(ctx, entry.city), subtitle: `${difference(offset)} · ${dayText(at, ctx.language)}`,
        trailing: [h("span", { class: "clock-time", style: { fontSize: "26px" } }, clockText(at, ctx.all.settings.use_24_hour, ctx.language)),
          iconButton({ id: "city_remove", glyph: glyphs.close, label: ctx.t(`Remove ${entry.city}`, `移除${cityName(ctx, entry.city)}`), onTap: () => remove(entry), size: 20 })],
      })
    },
  })
}

function citiesScreen(ctx) {
  ctx.ui.search ??= ""
  const needle = ctx.ui.search.trim().toLowerCase()
  const named = (city) => [city.en, city.zh].some((one) => one.toLowerCase().startsWith(needle))
  const matches = cities.filter((city) => [city.en, city.zh, city.zone].some((one) => one.toLowerCase().includes(needle)))
  const items = [...matches.filter(named), ...matches.filter((city) => !named(city))]
  const has = (city) => ctx.state.world_clock.some((one) => one.city === city.en)
  const add = (city) => {
    if (!has(city)) {
      ctx.state.world_clock.push({ city: city.en, zone: city.zone })
      ctx.log(`city_added city=${quote(city.en)}`)
    }
    ctx.back()
  }
  return {
    title: ctx.t("Add city", "添加城市"),
    body: column(
      field({ id: "search", type: "search", placeholder: ctx.t("Search cities", "搜索城市"), value: ctx.ui.search, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } }),
      list({
        id: "cities", items, rowHeight: 62, empty: ctx.t("No cities found", "未找到城市"),
        row: (city) => row({ id: "city_result", icon: glyphs.location, title: ctx.t(city.en, city.zh), subtitle: `${city.zone} · ${offsetText(city.offset)}`, checked: has(city), onTap: () => add(city) }),
      })),
  }
}

const remaining = (ctx, timer) => (timer.ends === null ? timer.remaining_ms : Math.max(0, timer.ends - ctx.now()))

function flipTimer(ctx, timer) {
  if (timer.ends === null) timer.ends = ctx.now() + timer.remaining_ms
  else [timer.remaining_ms, timer.ends] = [remaining(ctx, timer), null]
  ctx.log(`timer_${timer.ends === null ? "paused" : "started"} id=${timer.id} remaining_s=${Math.ceil(remaining(ctx, timer) / 1000)}`)
  ctx.redraw()
}

function resetTimer(ctx, timer) {
  Object.assign(timer, { remaining_ms: timer.duration_ms, ends: null })
  ctx.log(`timer_reset id=${timer.id}`)
  ctx.redraw()
}

function timersTab(ctx) {
  const remove = (timer) => {
    ctx.state.timers = ctx.state.timers.filter((one) => one !== timer)
    ctx.log(`timer_deleted id=${timer.id}`)
    ctx.redraw()
  }
  const rename = (timer) => {
    let draft = timer.label
    ctx.dialog({
      title: ctx.t("Timer label", "计时器标签"), body: field({ id: "timer_label", label: ctx.t("Label", "标签"), value: draft, autofocus: true, onInput: (value) => { draft = value } }),
      buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Save", "保存"), id: "save", primary: true, onTap: () => { timer.label = draft.trim(); ctx.log(`timer_renamed id=${timer.id} label=${quote(timer.label)}`); ctx.redraw() } }],
    })
  }
  return list({
    id: "timers", items: ctx.state.timers, rowHeight: 152, empty: ctx.t("No timers", "没有计时器"),
    row: (timer) => h("div", {}, card({ id: "timer", class: "timer-card" },
      h("div", { style: { display: "flex", alignItems: "center" } },
        h("button", { id: "timer_name", style: { flex: 1, textAlign: "left", padding: "4px" }, onTap: () => rename(timer) }, timer.label || ctx.t(`${spanText(timer.duration_ms)} timer`, `${spanText(timer.duration_ms)} 计时器`)),
        iconButton({ id: "timer_delete", glyph: glyphs.close, label: ctx.t("Delete timer", "删除计时器"), onTap: () => remove(timer), size: 20 })),
      h("div", { style: { display: "flex", alignItems: "center", gap: "10px" } },
        h("span", { class: `clock-time ${timer.ends === null ? "" : "running"}`, id: "timer_remaining", style: { flex: 1, fontSize: "40px", color: timer.ends === null ? "" : "var(--primary)" } }, spanText(remaining(ctx, timer))),
        button({ id: "timer_reset", text: "", glyph: glyphs.reset, label: ctx.t("Reset", "重置"), onTap: () => resetTimer(ctx, timer) }),
        button({ id: "timer_start", text: timer.ends === null ? ctx.t("Start", "开始") : ctx.t("Pause", "暂停"), primary: true, onTap: () => flipTimer(ctx, timer) })))),
  })
}

function newTimerScreen(ctx) {
  ctx.ui.digits ??= ""
  const padded = ctx.ui.digits.padStart(6, "0")
  const [hour, minute, second] = [0, 2, 4].map((at) => Number(padded.slice(at, at + 2)))
  const duration = (hour * 3600 + minute * 60 + second) * 1000
  const press = (digits) => { ctx.ui.digits = (ctx.ui.digits + digits).replace(/^0+/, "").slice(0, 6); ctx.redraw() }
  const start = () => {
    const timer = { id: nextId(ctx.state.timers), label: "", duration_ms: duration, remaining_ms: duration, ends: ctx.now() + duration }
    ctx.state.timers.push(timer)
    ctx.log(`timer_created id=${timer.id} duration_s=${duration / 1000}`)
    ctx.back()
  }
  return {
    title: ctx.t("New timer", "新建计时器"),
    body: scroll({ id: "new_timer" },
      h("div", { class: "big-time", id: "timer_digits" }, ctx.t(`${two(hour)}h ${two(minute)}m ${two(second)}s`, `${two(hour)}时${two(minute)}分${two(second)}秒`)),
      h("div", { class: "keypad" },
        [..."123456789"].map((digit) => h("button", { id: `digit_${digit}`, onTap: () => press(digit) }, digit)),
        h("button", { id: "digit_00", onTap: () => press("00") }, "00"), h("button", { id: "digit_0", onTap: () => press("0") }, "0"),
        h("button", { id: "digit_delete", label: ctx.t("Delete digit", "删除一位"), onTap: () => { ctx.ui.digits = ctx.ui.digits.slice(0, -1); ctx.redraw() } }, icon(glyphs.backspace))),
      h("div", { class: "center-line" }, button({ id: "timer_create", text: ctx.t("Start", "开始"), glyph: glyphs.play, primary: true, disabled: duration === 0, onTap: start }))),
  }
}

const elapsed = (ctx) => { const { started, elapsed_ms: before } = ctx.state.stopwatch; return started === null ? before : before + ctx.now() - started }

function stopwatchTab(ctx) {
  const watch = ctx.state.stopwatch
  const total = elapsed(ctx)
  const flip = () => {
    const running = watch.started !== null
    watch.elapsed_ms = total
    watch.started = running ? null : ctx.now()
    ctx.log(`stopwatch_${running ? "stopped" : "started"} elapsed_ms=${total}`)
    ctx.redraw()
  }
  const lap = () => {
    watch.laps.push(total)
    ctx.log(`stopwatch_lap number=${watch.laps.length} elapsed_ms=${total}`)
    ctx.redraw()
  }
  const reset = () => {
    ctx.state.stopwatch = { started: null, elapsed_ms: 0, laps: [] }
    ctx.log("stopwatch_reset")
    ctx.redraw()
  }
  const laps = watch.laps.map((at, index) => ({ number: index + 1, at, span: at - (watch.laps[index - 1] ?? 0) })).reverse()
  return column(
    h("div", { class: `big-time ${watch.started === null ? "" : "running"}`, id: "stopwatch_time" }, stopwatchText(total)),
    h("div", { class: "center-line" },
      watch.started === null
        ? button({ id: "stopwatch_reset", text: ctx.t("Reset", "重置"), glyph: glyphs.reset, disabled: total === 0, onTap: reset })
        : button({ id: "stopwatch_lap", text: ctx.t("Lap", "计次"), glyph: glyphs.flag, onTap: lap }),
      button({ id: "stopwatch_start", text: watch.started === null ? ctx.t("Start", "开始") : ctx.t("Stop", "停止"), glyph: watch.started === null ? glyphs.play : glyphs.pause, primary: true, onTap: flip })),
    laps.length === 0 ? empty(ctx.t("No laps yet", "暂无计次"))
      : list({ id: "laps", items: laps, rowHeight: 52, row: (one) => row({ id: "lap", title: `${ctx.t("Lap", "第")} ${one.number}${ctx.t("", " 次")}`, trailing: `+${stopwatchText(one.span)}   ${stopwatchText(one.at)}` }) }))
}

function mainScreen(ctx, params) {
  ctx.ui.tab ??= params.tab ?? "alarms"
  const tab = ctx.ui.tab
  const bodies = { alarms: alarmsTab, world: worldTab, timer: timersTab, stopwatch: stopwatchTab }
  const add = {
    alarms: () => fab({ id: "add_alarm", glyph: glyphs.add, label: ctx.t("Add alarm", "添加闹钟"), onTap: () => ctx.go("alarm", {}) }),
    world: () => fab({ id: "add_city", glyph: glyphs.add, label: ctx.t("Add city", "添加城市"), onTap: () => ctx.go("cities") }),
    timer: () => fab({ id: "add_timer", glyph: glyphs.add, label: ctx.t("Add timer", "添加计时器"), onTap: () => ctx.go("newTimer") }),
  }
  const select = (id) => { ctx.ui.tab = id.replace("tab_", ""); ctx.redraw() }
  const items = [["alarms", "Alarms", "闹钟"], ["world", "World", "世界时钟"], ["timer", "Timer", "计时器"], ["stopwatch", "Stopwatch", "秒表"]].map(([id, en, zh]) => ({ id: `tab_${id}`, text: ctx.t(en, zh) }))
  return { title: ctx.t("Clock", "时钟"), body: column(tabs({ id: "tabs", items, selected: `tab_${tab}`, onSelect: select }), bodies[tab](ctx)), fab: add[tab]?.() }
}

/** Rings what came due since the last tick. */
function tick(ctx) {
  const { state } = ctx
  const from = state.checked
  state.checked = ctx.now()
  for (const timer of state.timers) {
    if (timer.ends === null || timer.ends > ctx.now()) continue
    Object.assign(timer, { ends: null, remaining_ms: timer.duration_ms })
    ctx.log(`timer_rang id=${timer.id} duration_s=${timer.duration_ms / 1000}`)
    ctx.dialog({ title: ctx.t("Time is up", "时间到"), body: timer.label || spanText(timer.duration_ms), buttons: [{ text: ctx.t("Dismiss", "关闭"), id: "dismiss", primary: true }] })
  }
  for (const alarm of state.alarms) {
    if (!alarm.enabled) continue
    const due = alarm.snoozed_until ?? nextRing(ctx, alarm, from)
    if (due <= ctx.now()) ring(ctx, alarm)
  }
}

function ring(ctx, alarm) {
  delete alarm.snoozed_until
  ctx.log(`alarm_rang id=${alarm.id} time=${timeOf(alarm)} label=${quote(alarm.label)}`)
  if (alarm.repeat.length === 0) alarm.enabled = false
  const snooze = () => {
    Object.assign(alarm, { enabled: true, snoozed_until: ctx.now() + SNOOZE_MS })
    ctx.log(`alarm_snoozed id=${alarm.id} minutes=${SNOOZE_MS / 60000}`)
  }
  ctx.dialog({
    title: timeText(ctx, timeOf(alarm)), body: alarm.label || ctx.t("Alarm", "闹钟"),
    buttons: [{ text: ctx.t("Snooze", "稍后提醒"), id: "snooze", onTap: snooze }, { text: ctx.t("Dismiss", "关闭"), id: "dismiss", primary: true, onTap: () => ctx.log(`alarm_dismissed id=${alarm.id}`) }],
  })
}

export default {
  id: "clock",
  package: "org.tapwright.clock",
  name: { en: "Clock", zh: "时钟" },
  color: "#3949ab",
  glyph: glyphs.clock,
  seed: seedClock,
  home: "main",
  screens: { main: mainScreen, alarm: alarmScreen, cities: citiesScreen, newTimer: newTimerScreen },
  tick,
}
