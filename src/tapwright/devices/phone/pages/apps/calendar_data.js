/** The seeded calendar: four calendars and some 340 events over the year 2026. */

import { address, people, words } from "../names.js"
import { addDays, DAY_MS, isoDay, two } from "../dates.js"

export const repeats = ["none", "daily", "weekly", "monthly", "yearly"]
/** Minutes before the start; -1 is no reminder. */
export const reminders = [-1, 0, 5, 10, 15, 30, 60, 1440]

const titles = {
  en: {
    work: "Team stand-up,Design review,Budget meeting,Client call,Sprint planning,Interview,Project kick-off,Quarterly review,Training,One-to-one,Release check,Supplier visit,Board update,Lunch with the team,Demo day,Retrospective".split(","),
    personal: "Dentist,Haircut,Gym,Yoga class,Coffee with Maya,Guitar lesson,Book club,Car service,Doctor appointment,Library day,Swim,Movie night,Bike repair,Language class,Museum visit,Photo walk".split(","),
    family: "Dinner at home,School concert,Parents evening,Family lunch,Zoo trip,Visit grandma,Piano recital,Soccer match,Picnic,Game night,Birthday party,Garden day,Grocery run,Swimming lesson".split(","),
    holidays: "New Year's Day,Carnival,First day of spring,Earth Day,Labour Day,Midsummer,Harvest fair,First day of autumn,Lantern night,First day of winter,Boxing Day,New Year's Eve".split(","),
  },
  zh: {
    work: "晨会,设计评审,预算会议,客户电话,迭代计划,面试,项目启动会,季度回顾,培训,一对一谈话,发布检查,供应商来访,董事会汇报,团队午餐,演示日,复盘会".split(","),
    personal: "看牙医,理发,健身,瑜伽课,和朋友喝咖啡,吉他课,读书会,汽车保养,看医生,去图书馆,游泳,电影之夜,修自行车,语言课,参观博物馆,摄影散步".split(","),
    family: "在家晚餐,学校音乐会,家长会,家庭午餐,动物园之行,看望奶奶,钢琴演奏会,足球赛,野餐,桌游之夜,生日聚会,园艺日,采购,游泳课".split(","),
    holidays: "元旦,狂欢节,立春,地球日,劳动节,夏至,丰收市集,立秋,灯会,立冬,冬至,除夕".split(","),
  },
}
const holidayDates = ["01-01", "02-17", "03-20", "04-22", "05-01", "06-21", "08-30", "09-22", "10-31", "12-21", "12-26", "12-31"]
const rooms = { en: ["Room 1", "Room 2", "Blue room", "Online", "Office", "Main hall"], zh: ["一号会议室", "二号会议室", "蓝色会议室", "线上", "办公室", "大厅"] }
const notes = {
  en: ["Bring the printed plan.", "Ask about the new dates.", "Park behind the building.", "Bring water.", "Confirm one day before.", "Table for six."],
  zh: ["带上打印好的计划。", "询问新的日期。", "车停在楼后。", "带水。", "提前一天确认。", "订六人桌。"],
}

export function seedCalendar(random, language) {
  const guests = people(random, language, 40).map((one) => one.name)
  const first = Date.UTC(2026, 0, 1)
  const days = Array.from({ length: 365 }, (_, i) => isoDay(first + i * DAY_MS))
  const events = []
  const put = (event) => events.push({ id: events.length + 1, ...event })
  for (const [index, title] of titles[language].holidays.entries()) {
    put({ title, date: `2026-${holidayDates[index]}`, start: "00:00", end: "23:59", all_day: true, location: "", guests: [], calendar: "holidays", reminder_min: -1, repeat: "yearly", notes: "" })
  }
  const plain = (calendar, date, repeat = "none") => {
    const hour = calendar === "work" ? random.int(8, 16) : random.int(9, 20)
    const minute = random.pick([0, 0, 15, 30, 45])
    const end = Math.min(hour * 60 + minute + random.pick([30, 45, 60, 60, 90, 120]), 23 * 60 + 45)
    put({
      title: random.pick(titles[language][calendar]), date, start: `${two(hour)}:${two(minute)}`, end: `${two(Math.floor(end / 60))}:${two(end % 60)}`, all_day: false,
      location: calendar === "work" ? random.pick(rooms[language]) : random.chance(0.5) ? address(random, language) : random.pick(words[language].cities),
      guests: random.chance(0.4) ? random.sample(guests, random.int(1, 4)) : [], calendar, reminder_min: random.pick(reminders), repeat, notes: random.chance(0.3) ? random.pick(notes[language]) : "",
    })
  }
  const workDay = (day) => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay())
  for (const day of random.sample(days.filter(workDay), 130)) plain("work", day)
  for (const day of random.sample(days, 90)) plain("personal", day)
  for (const day of random.sample(days, 75)) plain("family", day)
  // The weeks around today are the ones people look at.
  for (let i = 0; i < 28; i++) plain(random.pick(["work", "personal", "family"]), addDays("2026-03-08", random.int(0, 24)))
  for (const calendar of ["work", "personal", "family"]) plain(calendar, "2026-03-14")
  for (const calendar of ["work", "work", "personal", "family"]) plain(calendar, addDays("2026-01-05", random.int(0, 4)), "weekly")
  plain("personal", "2026-01-12", "monthly")
  const name = (en, zh) => (language === "zh" ? zh : en)
  return {
    calendars: [
      { id: "personal", name: name("Personal", "个人"), color: "#1a73e8", shown: true }, { id: "work", name: name("Work", "工作"), color: "#188038", shown: true },
      { id: "family", name: name("Family", "家庭"), color: "#d9620b", shown: true }, { id: "holidays", name: name("Holidays", "节日"), color: "#9334e6", shown: true },
    ],
    events,
  }
}
