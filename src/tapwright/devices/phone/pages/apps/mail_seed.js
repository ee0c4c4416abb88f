/** Fills the mailbox: about 340 mails over the last four months, in every folder. */

import { words } from "../names.js"
import { acquaintances, owner } from "./contacts_data.js"
import { attachments, letters, notices, slots, spam } from "./mail_data.js"

const DAY = 86400000

/** How many mails of each kind lie in each folder. */
const plan = [
  { folder: "inbox", letters: 130, notices: 80 },
  { folder: "archive", letters: 20, notices: 20 },
  { folder: "sent", letters: 42, notices: 0 },
  { folder: "drafts", letters: 6, notices: 0 },
  { folder: "trash", letters: 6, notices: 8 },
]
const SPAM = 24

/** A Chinese company writes from its English namesake's address: the two lists run in step. */
function addressOf(line, table, language, column) {
  const english = table.en[table[language].indexOf(line)].split("|")[column]
  return `hello@${english.toLowerCase().replace(/[^a-z]+/g, "")}.example`
}

const attachmentFor = (subject, language) => attachments[language].find((one) => subject.toLowerCase().includes(one.about))?.name ?? null

/** Some waking minute of the last four months; squaring leans towards today, as mailboxes do. */
function momentBefore(random, now) {
  const day = Math.floor(now / DAY - 120 * random() ** 2) * DAY
  const moment = day + random.int(7 * 60, 22 * 60) * 60000
  return moment < now - 20 * 60000 ? moment : moment - DAY
}

export function seedMail(random, language, now) {
  const me = owner(language)
  const friends = acquaintances(language)
  const en = language === "en"
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, slot) => values[slot])
  const draw = () => {
    const amount = random.int(8, 240)
    return {
      project: random.pick(slots[language].project), thing: random.pick(slots[language].thing), day: random.pick(slots[language].day), company: random.pick(slots[language].company),
      city: random.pick(words[language].cities), time: random.pick(["9:00", "9:30", "10:15", "11:00", "13:30", "14:00", "15:15", "16:00", "16:30"]), evening: random.pick(["18:00", "18:30", "19:00", "19:30", "20:00"]),
      number: String(random.int(12, 48)), amount: en ? `$${amount}.00` : `¥${amount * 7}`, code: `${random.pick([..."ABCDEFGHKLMNPRT"])}${random.int(10000, 99999)}`,
    }
  }
  const items = []
  const put = (mail) => items.push({
    to: [me.email], cc: [], starred: random.chance(0.06), date: momentBefore(random, now), read: random.chance(0.7), ...mail,
  })

  const putLetter = (folder, at) => {
    const [label, subject, body] = random.pick(letters[language]).split("|")
    const friend = random.pick(friends)
    const values = draw()
    const mine = folder === "sent" || folder === "drafts"
    const [reader, writer] = mine ? [friend, me] : [me, friend]
    const [readerName, writerName] = [reader, writer].map((one) => (en ? one.name.split(" ")[0] : one.name))
    const text = fill(body, values)
    const copied = !mine && random.chance(0.18) ? random.sample(friends.filter((one) => one !== friend), random.int(1, 2)).map((one) => one.email) : []
    put({
      folder, subject: fill(subject, values), labels: label ? [label] : [], cc: copied,
      from: { name: writer.name, email: writer.email }, to: [reader.email],
      body: folder === "drafts" && at % 2 ? text : en ? `Hi ${readerName},\n\n${text}\n\nBest,\n${writerName}` : `${readerName}，你好：\n\n${text}\n\n祝好\n${writerName}`,
      attachment: attachmentFor(subject, language),
      ...(mine ? { read: true } : {}),
    })
  }
  const putNotice = (folder) => {
    const line = random.pick(notices[language])
    const [label, sender, subject, body] = line.split("|")
    const values = draw()
    put({ folder, subject: fill(subject, values), body: fill(body, values), labels: label ? [label] : [], attachment: attachmentFor(subject, language), from: { name: sender, email: addressOf(line, notices, language, 1) } })
  }

  for (const part of plan) {
    for (let at = 0; at < part.letters; at++) putLetter(part.folder, at)
    for (let at = 0; at < part.notices; at++) putNotice(part.folder)
  }
  for (let at = 0; at < SPAM; at++) {
    const line = random.pick(spam[language])
    const [sender, subject, body] = line.split("|")
    const values = draw()
    put({ folder: "spam", subject: fill(subject, values), body: fill(body, values), labels: [], starred: false, attachment: null, from: { name: sender, email: addressOf(line, spam, language, 0) } })
  }
  items.sort((one, other) => one.date - other.date)
  return { address: me.email, name: me.name, items: items.map((mail, at) => ({ id: at + 1, ...mail })) }
}
