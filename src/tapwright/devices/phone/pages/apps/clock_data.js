/** The seeded clock: alarms, cities and timers. */

const labels = {
  en: `Wake up,Gym,School run,Take medicine,Stand-up call,Water the plants,Walk the dog,Bread out of the oven,Night shift,Train to Riverton,Yoga,
Call home,Laundry,Bins out,Piano practice,Nap over,Study hour,Feed the cat,Market day,Early flight,Vitamins,Bedtime,Read a chapter,Team lunch`.split(/,\s*/),
  zh: "起床,健身,送孩子上学,吃药,晨会,浇花,遛狗,面包出炉,夜班,赶火车,瑜伽,给家里打电话,洗衣服,倒垃圾,练钢琴,午睡结束,学习时间,喂猫,赶集,早班机,维生素,睡觉,读一章书,团队午餐".split(","),
}
const repeats = [[], [], [1, 2, 3, 4, 5], [0, 6], [0, 1, 2, 3, 4, 5, 6], [1, 3, 5], [2, 4]]
/** No seeded alarm may ring while someone works through the morning the phone starts in. */
const QUIET = { from: 9 * 60 + 30, to: 14 * 60 }

export function seedClock(random, language, now) {
  const alarms = labels[language].map((label) => {
    const minutes = random.int(5 * 12, 23 * 12) * 5
    const quiet = minutes >= QUIET.from && minutes < QUIET.to
    return { hour: Math.floor(minutes / 60), minute: minutes % 60, label, repeat: random.pick(repeats), enabled: !quiet && random.chance(0.4), vibrate: random.chance(0.6) }
  })
  alarms.sort((a, b) => a.hour * 60 + a.minute - b.hour * 60 - b.minute)
  const timer = (id, label, minutes) => ({ id, label, duration_ms: minutes * 60000, remaining_ms: minutes * 60000, ends: null })
  const names = language === "zh" ? ["泡茶", "意面", "洗衣机"] : ["Tea", "Pasta", "Laundry"]
  return {
    alarms: alarms.map((alarm, index) => ({ id: index + 1, ...alarm })),
    world_clock: [["New York", "America/New_York"], ["Paris", "Europe/Paris"], ["Beijing", "Asia/Shanghai"], ["Sydney", "Australia/Sydney"]].map(([city, zone]) => ({ city, zone })),
    timers: [timer(1, names[0], 3), timer(2, names[1], 9), timer(3, names[2], 45)],
    stopwatch: { started: null, elapsed_ms: 0, laps: [] },
    checked: now,
  }
}
