/** Notifications: what the apps have posted. Those of the start tell of what the seeded apps hold. */

import { addDays, isoDay } from "./dates.js"

const MINUTE_MS = 60000

/** A store of state beside the apps'; `seededState(id)` is an app's own state as it was seeded. */
export const notifications = {
  id: "notifications",
  seed(random, language, now, seededState) {
    const say = (en, zh) => (language === "zh" ? zh : en)
    const today = isoDay(now)
    const unread = seededState("mail").items.filter((mail) => mail.folder === "inbox" && !mail.read).slice(-2).reverse()
    const { items: people, calls } = seededState("contacts")
    const missed = calls.find((call) => call.kind === "missed")
    const next = seededState("calendar").events
      .filter((event) => !event.all_day && [today, addDays(today, 1)].includes(event.date) && `${event.date} ${event.start}` > `${today} 09:41`)
      .sort((one, other) => (`${one.date} ${one.start}` < `${other.date} ${other.start}` ? -1 : 1))[0]
    const order = seededState("shop").orders.filter((one) => one.status === "shipped").sort((one, other) => other.placed - one.placed)[0]
    const found = [
      ...unread.map((mail) => ({ app: "mail", title: mail.from.name, text: mail.subject, screen: "message", params: { id: mail.id } })),
      missed && { app: "contacts", title: say("Missed call", "未接来电"), text: people.find((one) => one.id === missed.contact).name, screen: "detail", params: { id: missed.contact } },
      next && { app: "calendar", title: next.title, text: `${next.date} ${next.start}`, screen: "event", params: { id: next.id, day: next.date } },
      order && { app: "shop", title: say("Your order is on its way", "您的订单已发货"), text: say(`Order ${order.id}`, `订单 ${order.id}`), screen: "order", params: { id: order.id } },
    ].filter(Boolean)
    let at = now
    return {
      items: found.map((one, index) => {
        at -= random.int(2, 25) * MINUTE_MS
        return { id: index + 1, ...one, at }
      }),
    }
  },
}
