/** The seeded contacts: 320 people, the calls and messages with them, and the owner of the phone.
 *
 * Mail is written by the same acquaintances, so they follow from the language alone and not from the seed.
 */

import { address, people, phoneNumber, words } from "../names.js"
import { createRandom } from "../random.js"

const DAY = 86400000
const COUNT = 320
const DUPLICATES = 6

export const groups = {
  family: { en: "Family", zh: "家人" },
  friends: { en: "Friends", zh: "朋友" },
  work: { en: "Work", zh: "同事" },
  school: { en: "School", zh: "同学" },
  neighbors: { en: "Neighbors", zh: "邻居" },
}

/** Who holds this phone. */
export const owner = (language) =>
  language === "zh" ? { name: "李明", email: "li.ming@example.com" } : { name: "Alex Morgan", email: "alex.morgan@example.com" }

/** The sixty people who write mail; all of them are contacts under every seed. */
export const acquaintances = (language) => people(createRandom(`acquaintances/${language}`), language, 60)

/** What a name is filed under: Latin letters, last name first in Chinese. */
const filing = ({ name, email }, language) => {
  const [first, last] = email.split("@")[0].split(".")
  return language === "zh" ? `${last} ${first}` : name.toLowerCase()
}

const chats = {
  en: ["Are you coming on Saturday?", "Yes, I will bring dessert.", "Great, see you at six.", "Did you get the photos?", "Just saw them, the one by the lake is my favorite.",
    "Running ten minutes late.", "No problem, I am at the cafe already.", "Could you send me the address again?", "Happy birthday! Hope you have a lovely day.", "Thank you so much!",
    "The package arrived today.", "Perfect, thanks for letting me know.", "Do you still have my umbrella?", "I think it is in the car, I will look tonight."],
  zh: ["周六你来吗？", "来，我带甜点。", "太好了，六点见。", "照片收到了吗？", "刚看到，湖边那张我最喜欢。", "我晚到十分钟。", "没事，我已经在咖啡馆了。",
    "地址能再发我一次吗？", "生日快乐！祝你今天开心。", "谢谢你！", "包裹今天到了。", "好的，谢谢告诉我。", "我的伞还在你那儿吗？", "好像在车里，我晚上找找。"],
}

const titles = {
  en: ["Designer", "Teacher", "Engineer", "Nurse", "Accountant", "Editor", "Photographer", "Manager", "Chef", "Architect", "Lawyer", "Gardener"],
  zh: ["设计师", "老师", "工程师", "护士", "会计", "编辑", "摄影师", "经理", "厨师", "建筑师", "律师", "园艺师"],
}

const twoDigits = (value) => String(value).padStart(2, "0")

export function seedContacts(random, language, now) {
  const known = acquaintances(language)
  const names = new Set(known.map((one) => one.name))
  const others = people(random, language, COUNT).filter((one) => !names.has(one.name)).slice(0, COUNT - known.length)
  const groupIds = Object.keys(groups)
  const items = random.shuffle([...known, ...others]).map((one, at) => {
    const phones = [{ label: "mobile", number: phoneNumber(random, language) }]
    if (random.chance(0.35)) phones.push({ label: random.pick(["home", "work"]), number: phoneNumber(random, language) })
    const emails = [one.email]
    if (random.chance(0.15)) emails.push(one.email.replace(/@.*/, language === "zh" ? "@company.example" : "@office.example"))
    return {
      id: at + 1,
      name: one.name,
      phones,
      emails,
      company: random.chance(0.7) ? random.pick(words[language].companies) : "",
      title: random.chance(0.5) ? random.pick(titles[language]) : "",
      address: random.chance(0.75) ? address(random, language) : "",
      birthday: random.chance(0.7) ? `${random.int(1950, 2004)}-${twoDigits(random.int(1, 12))}-${twoDigits(random.int(1, 28))}` : "",
      group: random.chance(0.7) ? random.pick(groupIds) : "",
      notes: "",
      favourite: random.chance(0.05),
      blocked: random.chance(0.012),
      sort: filing(one, language),
    }
  })
  for (let made = 1; made <= DUPLICATES; made++) {
    const twin = items[made * 31]
    items.push({
      ...twin, id: items.length + 1, phones: [{ label: "mobile", number: phoneNumber(random, language) }], emails: [],
      company: "", title: "", address: "", birthday: "", group: "", favourite: false, blocked: false,
    })
  }
  return { items, calls: seedCalls(random, items, now), messages: seedMessages(random, items, language, now) }
}

function seedCalls(random, items, now) {
  const calls = Array.from({ length: 60 }, () => {
    const contact = random.pick(items)
    const kind = random.pick(["in", "out", "out", "in", "missed"])
    return { contact: contact.id, number: contact.phones[0].number, kind, at: random.date(now - 20 * DAY, now - DAY / 24), duration_s: kind === "missed" ? 0 : random.int(8, 1500) }
  })
  return calls.sort((one, other) => other.at - one.at).map((call, at) => ({ id: calls.length - at, ...call }))
}

function seedMessages(random, items, language, now) {
  const messages = []
  for (const contact of random.sample(items, 40)) {
    const start = random.int(0, chats[language].length - 3)
    const count = random.int(2, 5)
    let at = random.date(now - 15 * DAY, now - DAY)
    let out = random.chance(0.5)
    for (const text of chats[language].slice(start, start + count)) {
      messages.push({ id: messages.length + 1, contact: contact.id, text, out, at })
      at += random.int(1, 90) * 60000
      out = !out
    }
  }
  return messages
}
