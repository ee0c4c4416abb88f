/** Contacts: people with their numbers and groups, calls, messages, and the tidying of duplicates. */

import { avatar, button, card, chip, chips, column, fab, field, glyphs, h, iconButton, list, row, scroll, section, tabs, text, textArea } from "../kit.js"
import { callScreen, messagesScreen } from "./contacts_talk.js"
import { groups, seedContacts } from "./contacts_data.js"
import { cameraScreen, portrait } from "./contacts_photo.js"
import { shortMoment } from "./short_dates.js"

const quote = JSON.stringify
const byId = (ctx, id) => ctx.state.items.find((one) => one.id === id)
const nextId = (items) => 1 + items.reduce((most, one) => Math.max(most, one.id), 0)
const groupName = (ctx, id) => ctx.t(groups[id].en, groups[id].zh)
const phoneLabel = (ctx, label) => ({ mobile: ctx.t("Mobile", "手机"), home: ctx.t("Home", "住宅"), work: ctx.t("Work", "单位") })[label]

/** People in the order of the address book. */
const sorted = (items) => [...items].sort((one, other) => (one.sort < other.sort ? -1 : one.sort > other.sort ? 1 : one.id - other.id))

/** The letter a contact is filed under; what starts with no Latin letter is under #. */
const letterOf = (contact) => (/^[a-z]/i.test(contact.sort) ? contact.sort[0].toUpperCase() : "#")

/** Files a typed name: a Chinese surname borrows its spelling from a contact that has it. */
function filingOf(ctx, name) {
  if (/^[\x20-\x7e]*$/.test(name)) return name.toLowerCase()
  const namesake = ctx.state.items.find((one) => one.name[0] === name[0] && /^[a-z]/.test(one.sort))
  return namesake ? `${namesake.sort.split(" ")[0]} ${name}` : name
}

function matches(contact, query) {
  const wanted = query.trim().toLowerCase()
  const digits = wanted.replace(/\D/g, "")
  return contact.name.toLowerCase().includes(wanted) || contact.sort.includes(wanted) || contact.company.toLowerCase().includes(wanted)
    || contact.emails.some((email) => email.includes(wanted))
    || (digits.length > 2 && contact.phones.some((phone) => phone.number.replace(/\D/g, "").includes(digits)))
}

/** Rows of people; the first of every letter carries it in the margin. */
function peopleList(ctx, id, people, emptyText) {
  const letters = people.map(letterOf)
  return list({
    id, items: people, rowHeight: 60, empty: emptyText,
    row: (contact, at) => h("div", { style: { display: "flex", alignItems: "center" } },
      h("span", { style: { width: "36px", flex: "none", textAlign: "center", fontWeight: 500, color: "var(--primary)" } }, letters[at] === letters[at - 1] ? "" : letters[at]),
      h("div", { style: { flex: 1, minWidth: 0 } }, row({
        id: "contact", avatar: contact.name, title: contact.name, subtitle: contact.company,
        trailing: contact.blocked ? ctx.t("Blocked", "已屏蔽") : undefined, onTap: () => ctx.go("detail", { id: contact.id }),
      }))),
  })
}

function callRow(ctx, call) {
  const contact = byId(ctx, call.contact)
  const kind = { in: ctx.t("Incoming", "呼入"), out: ctx.t("Outgoing", "呼出"), missed: ctx.t("Missed", "未接") }[call.kind]
  const name = contact?.name ?? call.number
  return row({
    id: "call", avatar: name, title: name, subtitle: `${kind} · ${shortMoment(ctx, call.at)}${call.kind === "missed" ? "" : ` · ${spell(call.duration_s)}`}`,
    danger: call.kind === "missed", onTap: () => contact && ctx.go("detail", { id: contact.id }),
    trailing: iconButton({ id: "call_back", glyph: glyphs.phone, label: ctx.t(`Call ${name}`, `呼叫${name}`), onTap: () => ctx.go("call", { contact: call.contact, number: call.number }) }),
  })
}

/** Seconds as "4:05". */
const spell = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`

function listScreen(ctx) {
  ctx.ui.tab ??= "all"
  ctx.ui.query ??= ""
  const { tab, query } = ctx.ui
  const people = sorted(ctx.state.items)
  const panes = {
    all: () => peopleList(ctx, "people", people, ctx.t("No contacts yet", "还没有联系人")),
    favorites: () => peopleList(ctx, "favorites", people.filter((one) => one.favourite), ctx.t("No favorites yet", "还没有收藏")),
    groups: () => scroll({ id: "groups" }, Object.keys(groups).map((id) => {
      const count = ctx.state.items.filter((one) => one.group === id).length
      return row({ id: `group_${id}`, icon: glyphs.group, title: groupName(ctx, id), subtitle: ctx.t(`${count} people`, `${count}人`), onTap: () => ctx.go("group", { group: id }) })
    })),
    calls: () => list({ id: "calls", items: ctx.state.calls, rowHeight: 68, empty: ctx.t("No calls yet", "还没有通话"), row: (call) => callRow(ctx, call) }),
  }
  const found = query.trim() ? peopleList(ctx, "found", people.filter((one) => matches(one, query)), ctx.t("Nobody found", "没有找到联系人")) : null
  return {
    title: ctx.t("Contacts", "通讯录"),
    actions: [iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu([
      { id: "duplicates", text: ctx.t("Merge duplicates", "合并重复联系人"), glyph: glyphs.copy, onTap: () => ctx.go("duplicates") },
      { id: "blocked", text: ctx.t("Blocked contacts", "已屏蔽联系人"), glyph: glyphs.block, onTap: () => ctx.go("blocked") },
    ]) })],
    body: column(
      field({ id: "search", type: "search", value: query, placeholder: ctx.t("Search contacts", "搜索联系人"), onInput: (value) => { ctx.ui.query = value; ctx.redraw() }, onEnter: () => ctx.redraw() }),
      found ? null : tabs({
        id: "tabs", selected: tab, onSelect: (id) => { ctx.ui.tab = id; ctx.redraw() },
        items: [
          { id: "all", text: ctx.t("All", "全部") }, { id: "favorites", text: ctx.t("Favorites", "收藏") },
          { id: "groups", text: ctx.t("Groups", "分组") }, { id: "calls", text: ctx.t("Calls", "通话") },
        ],
      }),
      found ?? panes[tab]()),
    fab: fab({ id: "add", glyph: glyphs.add, label: ctx.t("New contact", "新建联系人"), onTap: () => ctx.go("edit", {}) }),
  }
}

function groupScreen(ctx, { group }) {
  return {
    title: groupName(ctx, group),
    actions: ctx.has("mail") && [iconButton({ id: "mail_group", glyph: glyphs.mail, label: ctx.t("Mail the group", "给分组写邮件"), onTap: () =>
      ctx.open("mail", "compose", { to: ctx.state.items.filter((one) => one.group === group && one.emails.length).slice(0, 20).map((one) => one.emails[0]) }) })],
    body: peopleList(ctx, "members", sorted(ctx.state.items.filter((one) => one.group === group)), ctx.t("Nobody in this group", "分组里没有人")),
  }
}

function detailScreen(ctx, { id }) {
  const contact = byId(ctx, id)
  if (!contact) return { title: "", body: text(ctx.t("This contact was deleted", "该联系人已删除")) }
  const [phone, email] = [contact.phones[0], contact.emails[0]]
  const act = (name, glyph, label, onTap) => h("div", { style: { display: "flex", flexDirection: "column", alignItems: "center", width: "92px" } },
    button({ id: name, glyph, text: label, disabled: !onTap, onTap }))
  const birthday = contact.birthday && birthdayText(ctx, contact.birthday)
  return {
    title: "",
    actions: [
      iconButton({ id: "favorite", glyph: contact.favourite ? glyphs.starFilled : glyphs.star, label: contact.favourite ? ctx.t("Remove from favorites", "取消收藏") : ctx.t("Add to favorites", "收藏"), onTap: () => {
        contact.favourite = !contact.favourite
        ctx.log(`contact_favourite id=${id} favourite=${contact.favourite}`)
        ctx.redraw()
      } }),
      iconButton({ id: "edit", glyph: glyphs.edit, label: ctx.t("Edit", "编辑"), onTap: () => ctx.go("edit", { id }) }),
      iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu(contactMenu(ctx, contact)) }),
    ],
    body: scroll({ id: "detail" },
      h("div", { style: { display: "flex", flexDirection: "column", alignItems: "center", gap: "8px", padding: "8px 16px 16px", textAlign: "center" } },
        contact.photo ? portrait(ctx) : avatar(contact.name, { size: 96 }),
        text(contact.name, { id: "name", size: 24 }),
        contact.company || contact.title ? text([contact.title, contact.company].filter(Boolean).join(" · "), { color: "var(--muted)" }) : null,
        contact.blocked ? text(ctx.t("Blocked", "已屏蔽"), { id: "blocked_note", color: "var(--danger)" }) : null),
      h("div", { style: { display: "flex", justifyContent: "center", gap: "12px", paddingBottom: "12px" } },
        act("call_button", glyphs.phone, ctx.t("Call", "呼叫"), phone && !contact.blocked && (() => ctx.go("call", { contact: id, number: phone.number }))),
        act("message_button", glyphs.message, ctx.t("Text", "短信"), phone && !contact.blocked && (() => ctx.go("messages", { contact: id }))),
        act("mail_button", glyphs.mail, ctx.t("Mail", "邮件"), email && ctx.has("mail") && (() => ctx.open("mail", "compose", { to: [email] })))),
      card({ style: { padding: "4px 0" } },
        contact.phones.map((one) => row({ id: "phone", icon: glyphs.phone, title: one.number, subtitle: phoneLabel(ctx, one.label), onTap: contact.blocked ? undefined : () => ctx.go("call", { contact: id, number: one.number }) })),
        contact.emails.map((one) => row({ id: "email", icon: glyphs.mail, title: one, subtitle: ctx.t("Email", "邮箱"), onTap: ctx.has("mail") ? () => ctx.open("mail", "compose", { to: [one] }) : undefined })),
        contact.address ? row({ id: "address", icon: glyphs.location, title: contact.address, subtitle: ctx.t("Address", "地址") }) : null,
        birthday ? row({ id: "birthday", icon: glyphs.cake, title: birthday, subtitle: ctx.t("Birthday", "生日") }) : null,
        contact.group ? row({ id: "group", icon: glyphs.group, title: groupName(ctx, contact.group), subtitle: ctx.t("Group", "分组"), onTap: () => ctx.go("group", { group: contact.group }) }) : null,
        contact.notes ? row({ id: "notes", icon: glyphs.notes, title: contact.notes, subtitle: ctx.t("Notes", "备注") }) : null),
      recentCalls(ctx, contact)),
  }
}

function recentCalls(ctx, contact) {
  const calls = ctx.state.calls.filter((one) => one.contact === contact.id).slice(0, 3)
  return calls.length ? [section(ctx.t("Recent calls", "最近通话")), calls.map((call) => callRow(ctx, call))] : null
}

function birthdayText(ctx, birthday) {
  const [year, month, day] = birthday.split("-").map(Number)
  const names = "January February March April May June July August September October November December".split(" ")
  return ctx.t(`${names[month - 1]} ${day}, ${year}`, `${year}年${month}月${day}日`)
}

function contactMenu(ctx, contact) {
  return [
    { id: "take_photo", text: ctx.t("Take a photo", "拍照"), glyph: glyphs.camera, onTap: () => ctx.permit("camera", () => ctx.go("camera", { id: contact.id })) },
    ...(ctx.has("mail") ? [{ id: "share", text: ctx.t("Share by mail", "用邮件分享"), glyph: glyphs.share, onTap: () =>
      ctx.open("mail", "compose", { subject: contact.name, body: [contact.name, ...contact.phones.map((one) => one.number), ...contact.emails].join("\n") }) }] : []),
    { id: "block", text: contact.blocked ? ctx.t("Unblock", "取消屏蔽") : ctx.t("Block", "屏蔽"), glyph: glyphs.block, onTap: () => setBlocked(ctx, contact, !contact.blocked) },
    { id: "delete", text: ctx.t("Delete", "删除"), glyph: glyphs.delete, danger: true, onTap: () => ctx.dialog({
      title: ctx.t("Delete contact?", "删除联系人？"), body: contact.name,
      buttons: [{ id: "cancel", text: ctx.t("Cancel", "取消") }, { id: "confirm", text: ctx.t("Delete", "删除"), primary: true, danger: true, onTap: () => deleteContact(ctx, contact) }],
    }) },
  ]
}

function setBlocked(ctx, contact, blocked) {
  contact.blocked = blocked
  ctx.log(`contact_blocked id=${contact.id} blocked=${blocked}`)
  ctx.toast(blocked ? ctx.t(`${contact.name} is blocked`, `已屏蔽${contact.name}`) : ctx.t(`${contact.name} is no longer blocked`, `已取消屏蔽${contact.name}`))
}

function deleteContact(ctx, contact) {
  ctx.state.items.splice(ctx.state.items.indexOf(contact), 1)
  ctx.log(`contact_deleted id=${contact.id} name=${quote(contact.name)}`)
  ctx.back()
  ctx.toast(ctx.t("Contact deleted", "联系人已删除"))
}

function editScreen(ctx, { id }) {
  const contact = id ? byId(ctx, id) : null
  const numberOf = (label) => contact?.phones.find((one) => one.label === label)?.number ?? ""
  ctx.ui.draft ??= {
    name: contact?.name ?? "", mobile: numberOf("mobile"), home: numberOf("home"), work: numberOf("work"), email: contact?.emails[0] ?? "", email2: contact?.emails[1] ?? "",
    company: contact?.company ?? "", title: contact?.title ?? "", address: contact?.address ?? "", birthday: contact?.birthday ?? "", notes: contact?.notes ?? "", group: contact?.group ?? "",
  }
  const { draft } = ctx.ui
  const entry = (name, label, type) => field({ id: name, label, type, value: draft[name], onInput: (value) => { draft[name] = value } })
  const pick = (group) => () => { draft.group = group; ctx.redraw() }
  return {
    title: contact ? ctx.t("Edit contact", "编辑联系人") : ctx.t("New contact", "新建联系人"),
    actions: [h("div", { style: { paddingRight: "12px" } }, button({ id: "save", text: ctx.t("Save", "保存"), primary: true, onTap: () => saveContact(ctx, contact, draft) }))],
    body: scroll({ id: "form" },
      entry("name", ctx.t("Name", "姓名")),
      entry("mobile", ctx.t("Mobile", "手机"), "tel"), entry("home", ctx.t("Home phone", "住宅电话"), "tel"), entry("work", ctx.t("Work phone", "单位电话"), "tel"),
      entry("email", ctx.t("Email", "邮箱"), "email"), entry("email2", ctx.t("Second email", "备用邮箱"), "email"),
      entry("company", ctx.t("Company", "公司")), entry("title", ctx.t("Job title", "职位")), entry("address", ctx.t("Address", "地址")),
      entry("birthday", ctx.t("Birthday (YYYY-MM-DD)", "生日（YYYY-MM-DD）")),
      section(ctx.t("Group", "分组")),
      chips("group", chip({ id: "group_none", text: ctx.t("None", "无"), selected: !draft.group, onTap: pick("") }),
        Object.keys(groups).map((group) => chip({ id: `group_${group}`, text: groupName(ctx, group), selected: draft.group === group, onTap: pick(group) }))),
      textArea({ id: "notes", label: ctx.t("Notes", "备注"), value: draft.notes, rows: 3, onInput: (value) => { draft.notes = value } })),
  }
}

function saveContact(ctx, contact, draft) {
  const name = draft.name.trim()
  if (!name) return ctx.toast(ctx.t("A name is needed", "请填写姓名"))
  if (draft.birthday && !/^\d{4}-\d{2}-\d{2}$/.test(draft.birthday)) return ctx.toast(ctx.t("Write the birthday as YYYY-MM-DD", "生日格式应为 YYYY-MM-DD"))
  const saved = contact ?? { id: nextId(ctx.state.items), favourite: false, blocked: false, sort: "" }
  if (saved.name !== name) saved.sort = filingOf(ctx, name)
  Object.assign(saved, {
    name,
    phones: ["mobile", "home", "work"].filter((label) => draft[label].trim()).map((label) => ({ label, number: draft[label].trim() })),
    emails: [draft.email, draft.email2].map((email) => email.trim()).filter(Boolean),
    company: draft.company.trim(), title: draft.title.trim(), address: draft.address.trim(), birthday: draft.birthday, group: draft.group, notes: draft.notes.trim(),
  })
  if (!contact) ctx.state.items.push(saved)
  ctx.log(`contact_saved id=${saved.id} name=${quote(name)}`)
  if (contact) ctx.back()
  else ctx.replace("detail", { id: saved.id })
  ctx.toast(ctx.t("Contact saved", "联系人已保存"))
}

function duplicatesScreen(ctx) {
  const byName = Map.groupBy(ctx.state.items, (one) => one.name)
  const twins = [...byName.values()].filter((same) => same.length > 1)
  return {
    title: ctx.t("Merge duplicates", "合并重复联系人"),
    body: list({
      id: "twins", items: twins, rowHeight: 72, empty: ctx.t("No duplicates", "没有重复的联系人"),
      row: (same) => row({
        id: "twin", avatar: same[0].name, title: same[0].name, subtitle: same.flatMap((one) => one.phones.map((phone) => phone.number)).join(", "), onTap: () => ctx.go("detail", { id: same[0].id }),
        trailing: button({ id: "merge", text: ctx.t("Merge", "合并"), onTap: () => merge(ctx, same) }),
      }),
    }),
  }
}

/** Keeps the oldest of the namesakes and gives it what only the others have. */
function merge(ctx, [kept, ...others]) {
  for (const other of others) {
    for (const phone of other.phones) if (!kept.phones.some((one) => one.number === phone.number)) kept.phones.push(phone)
    for (const email of other.emails) if (!kept.emails.includes(email)) kept.emails.push(email)
    for (const name of ["company", "title", "address", "birthday", "group", "notes"]) kept[name] ||= other[name]
    kept.favourite ||= other.favourite
    ctx.state.items.splice(ctx.state.items.indexOf(other), 1)
  }
  ctx.log(`contacts_merged id=${kept.id} name=${quote(kept.name)} removed=${others.map((one) => one.id).join(",")}`)
  ctx.toast(ctx.t("Contacts merged", "联系人已合并"))
}

function blockedScreen(ctx) {
  return {
    title: ctx.t("Blocked contacts", "已屏蔽联系人"),
    body: list({
      id: "blocked_people", items: sorted(ctx.state.items.filter((one) => one.blocked)), rowHeight: 64, empty: ctx.t("Nobody is blocked", "没有屏蔽任何人"),
      row: (contact) => row({
        id: "contact", avatar: contact.name, title: contact.name, onTap: () => ctx.go("detail", { id: contact.id }),
        trailing: button({ id: "unblock", text: ctx.t("Unblock", "取消屏蔽"), onTap: () => setBlocked(ctx, contact, false) }),
      }),
    }),
  }
}

export default {
  id: "contacts",
  package: "org.tapwright.contacts",
  name: { en: "Contacts", zh: "通讯录" },
  color: "#1a73e8",
  glyph: glyphs.person,
  seed: seedContacts,
  home: "list",
  screens: {
    list: listScreen, group: groupScreen, detail: detailScreen, edit: editScreen, camera: cameraScreen, call: callScreen, messages: messagesScreen, duplicates: duplicatesScreen, blocked: blockedScreen,
  },
}
