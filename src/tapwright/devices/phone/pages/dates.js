/** Days and times of day as text, always in UTC. A day in state is "2026-03-14", a time is "07:30". */

export const DAY_MS = 86400000

export const weekdays = {
  en: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  zh: ["星期日", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六"],
}
/** One-letter heads of a month grid, Sunday first. */
export const weekdayLetters = { en: [..."SMTWTFS"], zh: [..."日一二三四五六"] }
export const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]

export const two = (value) => String(value).padStart(2, "0")

/** A time of day: "09:41", or "9:41 AM" / "上午9:41" on a 12-hour phone. */
export function clockText(ms, is24Hour, language) {
  const date = new Date(ms)
  const hour = date.getUTCHours()
  const minute = two(date.getUTCMinutes())
  if (is24Hour) return `${two(hour)}:${minute}`
  const twelve = hour % 12 || 12
  if (language === "zh") return `${hour < 12 ? "上午" : "下午"}${twelve}:${minute}`
  return `${twelve}:${minute} ${hour < 12 ? "AM" : "PM"}`
}

/** A day: "Sat, Mar 14, 2026" or "2026年3月14日 星期六". */
export function dayText(ms, language) {
  const date = new Date(ms)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const weekday = weekdays[language][date.getUTCDay()]
  if (language === "zh") return `${year}年${month + 1}月${day}日 ${weekday}`
  return `${weekday.slice(0, 3)}, ${months[month].slice(0, 3)} ${day}, ${year}`
}

/** A month: "March 2026" or "2026年3月"; months count from 0. */
export const monthText = (year, month, language) => (language === "zh" ? `${year}年${month + 1}月` : `${months[month]} ${year}`)

export const isoDay = (ms) => new Date(ms).toISOString().slice(0, 10)
export const dayStart = (day) => Date.parse(`${day}T00:00:00Z`)
export const addDays = (day, count) => isoDay(dayStart(day) + count * DAY_MS)

/** The 42 days of a month's grid, whose first row holds the 1st and starts on a Sunday. */
export function monthGrid(year, month) {
  const first = Date.UTC(year, month, 1)
  const start = first - new Date(first).getUTCDay() * DAY_MS
  return Array.from({ length: 42 }, (_, i) => isoDay(start + i * DAY_MS))
}
