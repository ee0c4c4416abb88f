/** Dialogs that pick a day and a time of day. */

import { clockText, dayText, dayStart, isoDay, monthGrid, monthText, two, weekdayLetters } from "./dates.js"
import { glyphs, h, iconButton, stepper } from "./kit.js"

const buttons = (ctx, onOk) => [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("OK", "确定"), id: "ok", primary: true, onTap: onOk }]

/** A month of tappable days; `mark` draws under a day's number. Days have the id `day_2026-03-14`. */
export function monthView(ctx, { year, month, selected, onDay, mark }) {
  const today = isoDay(ctx.now())
  return h("div", { class: "month" },
    weekdayLetters[ctx.language].map((letter) => h("span", { class: "month-head" }, letter)),
    monthGrid(year, month).map((day) => {
      const inside = Number(day.slice(5, 7)) === month + 1
      return h("button", {
        class: `day ${inside ? "" : "outside"} ${day === selected ? "selected" : ""} ${day === today ? "today" : ""}`, id: `day_${day}`,
        label: dayText(dayStart(day), ctx.language), "aria-selected": String(day === selected), onTap: () => onDay(day),
      }, h("span", { class: "day-number" }, String(Number(day.slice(8)))), mark?.(day))
    }))
}

/** The month before or after, as {year, month}. */
export function shiftMonth({ year, month }, by) {
  const index = year * 12 + month + by
  return { year: Math.floor(index / 12), month: index % 12 }
}

/** Asks for a day, starting from `day`; calls onPick("2026-03-14"). */
export function pickDate(ctx, { day, onPick }) {
  let chosen = day
  let shown = { year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)) - 1 }
  const turn = (by) => () => { shown = shiftMonth(shown, by); ctx.redraw() }
  ctx.dialog({
    title: ctx.t("Pick a date", "选择日期"),
    body: () => h("div", {},
      h("div", { class: "picker-bar" },
        iconButton({ id: "month_prev", glyph: glyphs.prev, label: ctx.t("Previous month", "上个月"), onTap: turn(-1) }),
        h("span", { class: "picker-month", id: "picker_month" }, monthText(shown.year, shown.month, ctx.language)),
        iconButton({ id: "month_next", glyph: glyphs.next, label: ctx.t("Next month", "下个月"), onTap: turn(1) })),
      monthView(ctx, { ...shown, selected: chosen, onDay: (next) => { chosen = next; ctx.redraw() } })),
    buttons: buttons(ctx, () => onPick(chosen)),
  })
}

/** Asks for a time of day, starting from "07:30"; calls onPick("07:30"). Picking the hour turns to the minutes. */
export function pickTime(ctx, { time, title, onPick }) {
  let [hour, minute] = time.split(":").map(Number)
  let part = "hour"
  const choose = (value) => {
    if (part === "hour") [hour, part] = [value, "minute"]
    else minute = value
    ctx.redraw()
  }
  const face = (name, value) => h("button", {
    class: `time-part ${part === name ? "selected" : ""}`, id: `picker_${name}`, label: `${name === "hour" ? ctx.t("Hour", "小时") : ctx.t("Minute", "分钟")} ${two(value)}`,
    onTap: () => { part = name; ctx.redraw() },
  }, two(value))
  const cells = () => Array.from({ length: part === "hour" ? 24 : 12 }, (_, i) => {
    const value = part === "hour" ? i : i * 5
    return h("button", { class: `cell ${value === (part === "hour" ? hour : minute) ? "selected" : ""}`, id: `${part}_${value}`, onTap: () => choose(value) }, two(value))
  })
  ctx.dialog({
    title: title ?? ctx.t("Pick a time", "选择时间"),
    body: () => h("div", {},
      h("div", { class: "time-parts" }, face("hour", hour), h("span", {}, ":"), face("minute", minute)),
      h("div", { class: "cells" }, cells()),
      part === "minute" ? h("div", { class: "picker-fine" }, stepper({ id: "minute_step", label: ctx.t("Minute", "分钟"), value: minute, min: 0, max: 59, onChange: choose })) : null),
    buttons: buttons(ctx, () => onPick(`${two(hour)}:${two(minute)}`)),
  })
}

/** "07:30" as the phone shows times. */
export const timeText = (ctx, time) => clockText(Date.parse(`1970-01-01T${time}:00Z`), ctx.all.settings.use_24_hour, ctx.language)
