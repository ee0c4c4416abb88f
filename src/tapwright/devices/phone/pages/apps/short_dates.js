/** Dates short enough for the end of a list row. */

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")

/** "Mar 2" or "3月2日"; with its year when that is not the present one. */
export function shortDay(ctx, ms) {
  const date = new Date(ms)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const present = year === new Date(ctx.now()).getUTCFullYear()
  if (ctx.language === "zh") return `${present ? "" : `${year}年`}${month + 1}月${day}日`
  return `${months[month]} ${day}${present ? "" : `, ${year}`}`
}

/** The time of day for a moment of today, else its short day. */
export function shortMoment(ctx, ms) {
  const startOfDay = Math.floor(ctx.now() / 86400000) * 86400000
  return ms >= startOfDay ? ctx.time(ms) : shortDay(ctx, ms)
}
