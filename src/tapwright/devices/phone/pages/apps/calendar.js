/** Calendar: a month with its days, an agenda, and events with guests, reminders and repeats. */

import { addDays, dayStart, dayText, DAY_MS, isoDay, monthText, two, weekdays } from "../dates.js"
import { listenDrag } from "../gestures.js"
import { button, checkbox, column, fab, field, glyphs, h, iconButton, list, row, scroll, section, tabs, text, textArea, toggle } from "../kit.js"
import { monthView, pickDate, pickTime, shiftMonth, timeText } from "../pickers.js"
import { reminders, repeats, seedCalendar } from "./calendar_data.js"

const quote = JSON.stringify
const AGENDA_DAYS = 120
const SWIPE_PX = 70
const repeatNames = { none: ["Does not repeat", "不重复"], daily: ["Every day", "每天"], weekly: ["Every week", "每周"], monthly: ["Every month", "每月"], yearly: ["Every year", "每年"] }

function reminderText(ctx, minutes) {
  if (minutes < 0) return ctx.t("No reminder", "不提醒")
  if (minutes === 0) return ctx.t("At the start", "开始时")
  if (minutes === 60) return ctx.t("1 hour before", "提前 1 小时")
  if (minutes === 1440) return ctx.t("1 day before", "提前 1 天")
  return ctx.t(`${minutes} minutes before`, `提前 ${minutes} 分钟`)
}

/** Whether an event, or one of its repeats, falls on a day. */
function occursOn(event, day) {
  if (day < event.date) return false
  switch (event.repeat) {
    case "daily": return true
    case "weekly": return ((dayStart(day) - dayStart(event.date)) / DAY_MS) % 7 === 0
    case "monthly": return day.slice(8) === event.date.slice(8)
    case "yearly": return day.slice(5) === event.date.slice(5)
    default: return day === event.date
  }
}

const calendarOf = (ctx, event) => ctx.state.calendars.find((one) => one.id === event.calendar)
const colorOf = (ctx, event) => calendarOf(ctx, event).color
const byTime = (a, b) => Number(b.all_day) - Number(a.all_day) || (a.start < b.start ? -1 : a.start > b.start ? 1 : a.id - b.id)
const shownEvents = (ctx) => ctx.state.events.filter((event) => calendarOf(ctx, event).shown)
const eventsOn = (ctx, day) => shownEvents(ctx).filter((event) => occursOn(event, day)).sort(byTime)
const spanOf = (ctx, event) => (event.all_day ? ctx.t("All day", "全天") : `${timeText(ctx, event.start)} – ${timeText(ctx, event.end)}`)
const dot = (color) => h("span", { class: "event-mark", style: { background: color } })

function eventRow(ctx, event, { day = event.date, leading, note } = {}) {
  return row({
    id: "event", avatar: leading ?? dot(colorOf(ctx, event)), title: event.title, subtitle: [note, spanOf(ctx, event), event.location].filter(Boolean).join(" · "),
    onTap: () => ctx.go("event", { id: event.id, day }),
  })
}

/** Up to three dots in one element, in the colours of the day's events. */
function dots(ctx, day) {
  const colors = [...new Set(eventsOn(ctx, day).map((event) => colorOf(ctx, event)))].slice(0, 3)
  if (colors.length === 0) return null
  const background = colors.map((color, i) => `radial-gradient(circle, ${color} 0 2.5px, transparent 3px) ${i * 8}px 0 / 6px 6px no-repeat`).join(", ")
  return h("span", { class: "day-dots", style: { width: `${colors.length * 8 - 2}px`, background } })
}

function monthTab(ctx) {
  const turn = (by) => {
    const shown = (ctx.ui.shown = shiftMonth(ctx.ui.shown, by))
    const month = `${shown.year}-${two(shown.month + 1)}`
    const today = isoDay(ctx.now())
    ctx.ui.day = today.startsWith(month) ? today : `${month}-01`
    ctx.redraw()
  }
  const pick = (day) => {
    ctx.ui.day = day
    ctx.ui.shown = { year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) - 1 }
    ctx.redraw()
  }
  const swipe = ({ dx }) => { if (Math.abs(dx) > SWIPE_PX) turn(dx < 0 ? 1 : -1) }
  const events = eventsOn(ctx, ctx.ui.day)
  return column(
    h("div", { class: "month-bar" },
      iconButton({ id: "month_prev", glyph: glyphs.prev, label: ctx.t("Previous month", "上个月"), onTap: () => turn(-1) }),
      h("span", { class: "picker-month", id: "month_name" }, monthText(ctx.ui.shown.year, ctx.ui.shown.month, ctx.language)),
      iconButton({ id: "month_next", glyph: glyphs.next, label: ctx.t("Next month", "下个月"), onTap: () => turn(1) })),
    listenDrag(h("div", { class: "month-swipe" },
      monthView(ctx, { ...ctx.ui.shown, selected: ctx.ui.day, onDay: pick, mark: (day) => dots(ctx, day) })), swipe),
    list({ id: "day_events", items: events, rowHeight: 62, header: section(dayText(dayStart(ctx.ui.day), ctx.language)), empty: ctx.t("Nothing on this day", "这一天没有日程"), row: (event) => eventRow(ctx, event, { day: ctx.ui.day }) }))
}

function agendaTab(ctx) {
  const today = isoDay(ctx.now())
  const items = []
  for (let i = 0; i < AGENDA_DAYS; i++) {
    const day = addDays(today, i)
    for (const [index, event] of eventsOn(ctx, day).entries()) items.push({ day, event, first: index === 0 })
  }
  const date = ({ day, first, event }) => h("span", { class: "agenda-day", style: { borderColor: colorOf(ctx, event) } },
    first ? [h("b", {}, String(Number(day.slice(8)))), h("small", {}, ctx.language === "zh" ? `${Number(day.slice(5, 7))}月` : monthText(2026, Number(day.slice(5, 7)) - 1, "en").slice(0, 3))] : null)
  return list({ id: "agenda", items, rowHeight: 66, empty: ctx.t("No events", "没有日程"), row: (item) => eventRow(ctx, item.event, { day: item.day, leading: date(item), note: weekdays[ctx.language][new Date(dayStart(item.day)).getUTCDay()] }) })
}

function mainScreen(ctx) {
  const today = isoDay(ctx.now())
  ctx.ui.tab ??= "month"
  ctx.ui.day ??= today
  ctx.ui.shown ??= { year: Number(today.slice(0, 4)), month: Number(today.slice(5, 7)) - 1 }
  const goToday = () => {
    Object.assign(ctx.ui, { tab: "month", day: today, shown: { year: Number(today.slice(0, 4)), month: Number(today.slice(5, 7)) - 1 } })
    ctx.redraw()
  }
  const select = (id) => { ctx.ui.tab = id.replace("tab_", ""); ctx.redraw() }
  return {
    title: ctx.t("Calendar", "日历"),
    actions: [
      iconButton({ id: "today", glyph: glyphs.today, label: ctx.t("Today", "今天"), onTap: goToday }),
      iconButton({ id: "search", glyph: glyphs.search, label: ctx.t("Search", "搜索"), onTap: () => ctx.go("search") }),
      iconButton({ id: "calendars", glyph: glyphs.menu, label: ctx.t("Calendars", "日历列表"), onTap: () => ctx.go("calendars") }),
    ],
    body: column(tabs({ id: "tabs", selected: `tab_${ctx.ui.tab}`, onSelect: select, items: [{ id: "tab_month", text: ctx.t("Month", "月") }, { id: "tab_agenda", text: ctx.t("Agenda", "日程") }] }), ctx.ui.tab === "month" ? monthTab(ctx) : agendaTab(ctx)),
    fab: fab({ id: "add_event", glyph: glyphs.add, label: ctx.t("New event", "新建日程"), onTap: () => ctx.go("edit", { day: ctx.ui.day }) }),
  }
}

function searchScreen(ctx) {
  ctx.ui.search ??= ""
  const needle = ctx.ui.search.trim().toLowerCase()
  const hit = (event) => [event.title, event.location, event.notes, ...event.guests].some((one) => one.toLowerCase().includes(needle))
  const items = needle ? ctx.state.events.filter(hit).sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : byTime(a, b))) : []
  return {
    title: field({ id: "search_field", type: "search", placeholder: ctx.t("Search events", "搜索日程"), value: ctx.ui.search, autofocus: true, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } }),
    body: list({ id: "results", items, rowHeight: 62, empty: needle ? ctx.t("No events found", "未找到日程") : ctx.t("Type a title, place or guest", "输入标题、地点或参与者"), row: (event) => eventRow(ctx, event, { note: dayText(dayStart(event.date), ctx.language) }) }),
  }
}

function calendarsScreen(ctx) {
  const flip = (calendar) => {
    calendar.shown = !calendar.shown
    ctx.log(`calendar_shown_changed calendar=${calendar.id} shown=${calendar.shown}`)
    ctx.redraw()
  }
  const count = (calendar) => ctx.state.events.filter((event) => event.calendar === calendar.id).length
  return {
    title: ctx.t("Calendars", "日历列表"),
    body: scroll({ id: "calendars" }, ctx.state.calendars.map((calendar) => row({
      id: `calendar_${calendar.id}`, avatar: dot(calendar.color), title: calendar.name, subtitle: ctx.t(`${count(calendar)} events`, `${count(calendar)} 个日程`), onTap: () => flip(calendar),
      trailing: toggle({ id: `calendar_${calendar.id}_switch`, value: calendar.shown }),
    }))),
  }
}

function eventScreen(ctx, { id, day }) {
  const event = ctx.state.events.find((one) => one.id === id)
  if (!event) return { title: ctx.t("Event", "日程"), body: text(ctx.t("This event was deleted.", "该日程已删除。")) }
  const remove = () => ctx.dialog({
    title: ctx.t("Delete this event?", "删除该日程？"), body: event.repeat === "none" ? event.title : ctx.t("All its repeats go too.", "所有重复日程也将删除。"),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, {
      text: ctx.t("Delete", "删除"), id: "ok", primary: true, danger: true,
      onTap: () => {
        ctx.state.events = ctx.state.events.filter((one) => one !== event)
        ctx.log(`event_deleted id=${event.id} title=${quote(event.title)}`)
        ctx.back()
        ctx.toast(ctx.t("Event deleted", "日程已删除"))
      },
    }],
  })
  const fact = (name, glyph, value) => (value ? row({ id: name, icon: glyph, title: value }) : null)
  return {
    title: "",
    actions: [
      iconButton({ id: "edit", glyph: glyphs.edit, label: ctx.t("Edit", "编辑"), onTap: () => ctx.go("edit", { id }) }),
      iconButton({ id: "delete", glyph: glyphs.delete, label: ctx.t("Delete", "删除"), onTap: remove }),
    ],
    body: scroll({ id: "event" },
      text(event.title, { id: "event_title", size: 24, weight: 500 }),
      row({ id: "event_when", icon: glyphs.clock, title: dayText(dayStart(day ?? event.date), ctx.language), subtitle: `${spanOf(ctx, event)}${event.repeat === "none" ? "" : ` · ${ctx.t(...repeatNames[event.repeat])}`}` }),
      event.location ? text(event.location, { id: "event_location", class: "with-icon" }) : null,
      fact("event_reminder", glyphs.bell, reminderText(ctx, event.reminder_min)),
      row({ id: "event_calendar", icon: dot(colorOf(ctx, event)), title: calendarOf(ctx, event).name }),
      fact("event_notes", glyphs.notes, event.notes),
      event.guests.length ? section(ctx.t(`${event.guests.length} guest${event.guests.length === 1 ? "" : "s"}`, `${event.guests.length} 位参与者`)) : null,
      event.guests.map((guest) => row({ id: "guest", avatar: guest, title: guest }))),
  }
}

const minutesOf = (time) => { const [hour, minute] = time.split(":").map(Number); return hour * 60 + minute }
const timeAt = (minutes) => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`

function newDraft(ctx, day) {
  const hour = Math.min(22, new Date(ctx.now()).getUTCHours() + 1)
  return { title: "", date: day ?? isoDay(ctx.now()), start: timeAt(hour * 60), end: timeAt((hour + 1) * 60), all_day: false, location: "", guests: [], calendar: "personal", reminder_min: 10, repeat: "none", notes: "" }
}

function saveEvent(ctx, draft, old) {
  if (!draft.title.trim()) return ctx.toast(ctx.t("Enter a title", "请输入标题"))
  if (!draft.all_day && draft.end <= draft.start) return ctx.toast(ctx.t("The end must be after the start", "结束时间必须晚于开始时间"))
  const saved = { ...draft, id: old?.id ?? Math.max(0, ...ctx.state.events.map((one) => one.id)) + 1, title: draft.title.trim(), location: draft.location.trim() }
  if (saved.all_day) Object.assign(saved, { start: "00:00", end: "23:59" })
  if (old) Object.assign(old, saved)
  else ctx.state.events.push(saved)
  ctx.log(`event_saved id=${saved.id} title=${quote(saved.title)} date=${saved.date} start=${saved.start} end=${saved.end} calendar=${saved.calendar} guests=${saved.guests.length}`)
  ctx.back()
  ctx.toast(ctx.t("Event saved", "日程已保存"))
}

function editScreen(ctx, { id, day }) {
  const old = ctx.state.events.find((one) => one.id === id)
  const draft = (ctx.ui.draft ??= old ? structuredClone(old) : newDraft(ctx, day))
  const set = (key) => (value) => { draft[key] = value; ctx.redraw() }
  const keep = (key) => (value) => { draft[key] = value }
  const setStart = (time) => {
    const length = Math.max(0, minutesOf(draft.end) - minutesOf(draft.start))
    draft.start = time
    draft.end = timeAt(Math.min(23 * 60 + 59, minutesOf(time) + length))
    ctx.redraw()
  }
  const choose = (key, values, textOf) => ctx.menu(values.map((value) => ({ text: textOf(value), id: `${key}_${value}`, checked: draft[key] === value, onTap: () => set(key)(value) })))
  const calendar = calendarOf(ctx, draft)
  const allDay = ctx.t("All day", "全天")
  return {
    title: old ? ctx.t("Edit event", "编辑日程") : ctx.t("New event", "新建日程"),
    actions: button({ id: "save", text: ctx.t("Save", "保存"), primary: true, onTap: () => saveEvent(ctx, draft, old) }),
    body: scroll({ id: "event_form" },
      field({ id: "event_title", label: ctx.t("Title", "标题"), value: draft.title, onInput: keep("title"), autofocus: !old }),
      row({ id: "calendar", icon: dot(calendar.color), title: calendar.name, subtitle: ctx.t("Calendar", "日历"), onTap: () => choose("calendar", ctx.state.calendars.map((one) => one.id), (value) => ctx.state.calendars.find((one) => one.id === value).name) }),
      row({ id: "all_day", icon: glyphs.brightness, title: allDay, trailing: toggle({ id: "all_day_switch", value: draft.all_day }), onTap: () => set("all_day")(!draft.all_day) }),
      row({ id: "date", icon: glyphs.calendar, title: dayText(dayStart(draft.date), ctx.language), subtitle: ctx.t("Date", "日期"), onTap: () => pickDate(ctx, { day: draft.date, onPick: set("date") }) }),
      draft.all_day ? null : row({ id: "start", icon: glyphs.clock, title: timeText(ctx, draft.start), subtitle: ctx.t("Start", "开始"), onTap: () => pickTime(ctx, { time: draft.start, title: ctx.t("Start", "开始"), onPick: setStart }) }),
      draft.all_day ? null : row({ id: "end", icon: glyphs.clock, title: timeText(ctx, draft.end), subtitle: ctx.t("End", "结束"), onTap: () => pickTime(ctx, { time: draft.end, title: ctx.t("End", "结束"), onPick: set("end") }) }),
      row({ id: "repeat", icon: glyphs.reset, title: ctx.t(...repeatNames[draft.repeat]), subtitle: ctx.t("Repeat", "重复"), onTap: () => choose("repeat", repeats, (value) => ctx.t(...repeatNames[value])) }),
      row({ id: "reminder", icon: glyphs.bell, title: reminderText(ctx, draft.reminder_min), subtitle: ctx.t("Reminder", "提醒"), onTap: () => choose("reminder_min", reminders, (value) => reminderText(ctx, value)) }),
      row({ id: "guests", icon: glyphs.group, title: draft.guests.length ? draft.guests.join(ctx.t(", ", "、")) : ctx.t("Add guests", "添加参与者"), subtitle: ctx.t("Guests", "参与者"), onTap: () => ctx.go("guests", { draft }) }),
      field({ id: "location", label: ctx.t("Location", "地点"), value: draft.location, onInput: keep("location") }),
      textArea({ id: "notes", label: ctx.t("Notes", "备注"), rows: 3, value: draft.notes, onInput: keep("notes") })),
  }
}

/** Guests come from the contacts where that app is there, and by typing a name. */
function guestsScreen(ctx, { draft }) {
  ctx.ui.search ??= ""
  const typed = ctx.ui.search.trim()
  const known = ctx.has("contacts") ? ctx.all.contacts.items.map((one) => one.name) : []
  const names = [...new Set([...draft.guests, ...known])].filter((name) => name?.toLowerCase().includes(typed.toLowerCase()))
  const flip = (name) => {
    draft.guests = draft.guests.includes(name) ? draft.guests.filter((one) => one !== name) : [...draft.guests, name]
    ctx.redraw()
  }
  const items = typed && !names.includes(typed) ? [typed, ...names] : names
  return {
    title: ctx.t("Guests", "参与者"),
    actions: iconButton({ id: "done", glyph: glyphs.check, label: ctx.t("Done", "完成"), onTap: ctx.back }),
    body: column(
      field({ id: "guest_search", type: "search", placeholder: ctx.t("Search or type a name", "搜索或输入姓名"), value: ctx.ui.search, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } }),
      list({ id: "guest_list", items, rowHeight: 60, empty: ctx.t("No contacts", "没有联系人"), row: (name) => row({ id: "guest", avatar: name, title: name, subtitle: names.includes(name) ? undefined : ctx.t("Add this name", "添加此姓名"), trailing: checkbox({ id: "guest_check", value: draft.guests.includes(name) }), onTap: () => flip(name) }) })),
  }
}

/** Reminders that came due since the last tick show as a toast. */
function tick(ctx) {
  const { state } = ctx
  const from = state.checked ?? ctx.now()
  state.checked = ctx.now()
  if (from === state.checked) return
  for (const event of state.events) {
    if (event.reminder_min < 0 || event.all_day) continue
    const start = minutesOf(event.start) * 60000 - event.reminder_min * 60000
    for (let at = Math.floor(from / DAY_MS) - 1; at <= Math.floor(state.checked / DAY_MS) + 1; at++) {
      const due = at * DAY_MS + start
      if (due <= from || due > state.checked || !occursOn(event, isoDay(at * DAY_MS))) continue
      ctx.log(`event_reminder id=${event.id} title=${quote(event.title)}`)
      ctx.toast(`${timeText(ctx, event.start)} ${event.title}`)
    }
  }
}

export default {
  id: "calendar",
  package: "org.tapwright.calendar",
  name: { en: "Calendar", zh: "日历" },
  color: "#1a73e8",
  glyph: glyphs.calendar,
  seed: seedCalendar,
  home: "main",
  screens: { main: mainScreen, search: searchScreen, calendars: calendarsScreen, event: eventScreen, edit: editScreen, guests: guestsScreen },
  tick,
}
