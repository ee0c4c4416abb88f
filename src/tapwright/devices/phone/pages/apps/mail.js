/** Mail: one mailbox with folders and labels, reading, and moving many mails at once. Writing is in mail_compose.js. */

import { avatar, button, chip, chips, column, fab, field, glyphs, h, icon, iconButton, list, row, scroll, section, text } from "../kit.js"
import { composeScreen, forwardOf, nameOf, peopleScreen, replyTo } from "./mail_compose.js"
import { seedMail } from "./mail_seed.js"
import { shortDay, shortMoment } from "./short_dates.js"

const quote = JSON.stringify

const folders = {
  inbox: { en: "Inbox", zh: "收件箱", glyph: glyphs.inbox },
  starred: { en: "Starred", zh: "已加星标", glyph: glyphs.star },
  sent: { en: "Sent", zh: "已发送", glyph: glyphs.send },
  drafts: { en: "Drafts", zh: "草稿", glyph: glyphs.drafts },
  archive: { en: "Archive", zh: "归档", glyph: glyphs.archive },
  spam: { en: "Spam", zh: "垃圾邮件", glyph: glyphs.spam },
  trash: { en: "Trash", zh: "回收站", glyph: glyphs.delete },
}
const labels = {
  work: { en: "Work", zh: "工作" },
  family: { en: "Family", zh: "家人" },
  travel: { en: "Travel", zh: "旅行" },
  receipts: { en: "Receipts", zh: "收据" },
  news: { en: "News", zh: "资讯" },
}
/** Folders a mail can be moved into by hand. */
const movable = ["inbox", "archive", "spam", "trash"]

const named = (ctx, one) => ctx.t(one.en, one.zh)
const byId = (ctx, id) => ctx.state.items.find((one) => one.id === id)
const lies = (mail, folder) => (folder === "starred" ? mail.starred && mail.folder !== "trash" : mail.folder === folder)

function matches(ctx, mail, query) {
  const wanted = query.trim().toLowerCase()
  return [mail.subject, mail.body, mail.from.name, mail.from.email, ...mail.to.flatMap((email) => [email, nameOf(ctx, email)])].some((part) => part.toLowerCase().includes(wanted))
}

const filters = {
  unread: { en: "Unread", zh: "未读", keeps: (mail) => !mail.read },
  starred: { en: "Starred", zh: "星标", keeps: (mail) => mail.starred },
  attachment: { en: "Attachment", zh: "附件", keeps: (mail) => mail.attachment !== null },
}

function shownMails(ctx, { folder = "inbox", label }) {
  const { query, filter } = ctx.ui
  const searching = query.trim() !== ""
  return ctx.state.items
    .filter((mail) => searching ? !["spam", "trash"].includes(mail.folder) && matches(ctx, mail, query) : label ? mail.labels.includes(label) && mail.folder !== "trash" : lies(mail, folder))
    .filter((mail) => !filter || filters[filter].keeps(mail))
    .sort((one, other) => other.date - one.date || other.id - one.id)
}

/** Who the row is about: the readers of a mail of one's own, else its writer. */
function partyOf(ctx, mail) {
  if (mail.from.email !== ctx.state.address) return mail.from.name
  return mail.to.length ? mail.to.map((email) => nameOf(ctx, email)).join(ctx.t(", ", "、")) : ctx.t("(nobody)", "（无收件人）")
}

const line = (content, style) => h("div", { style: { whiteSpace: "nowrap", overflow: "hidden", textOverflow: "ellipsis", ...style } }, content)

function mailRow(ctx, mail) {
  const { chosen } = ctx.ui
  const flip = () => {
    if (!chosen.delete(mail.id)) chosen.add(mail.id)
    ctx.redraw()
  }
  const party = partyOf(ctx, mail)
  const weight = mail.read ? 400 : 700
  const star = () => {
    mail.starred = !mail.starred
    ctx.log(`mail_starred id=${mail.id} starred=${mail.starred}`)
    ctx.redraw()
  }
  return row({
    id: "mail", avatar: party, lines: 2, selected: chosen.has(mail.id) || undefined,
    title: line(party, { fontWeight: weight }),
    subtitle: [line(mail.subject || ctx.t("(no subject)", "（无主题）"), { fontWeight: weight, color: "var(--text)" }), line(mail.body.replace(/\s+/g, " "))],
    onLongPress: flip,
    onTap: () => (chosen.size ? flip() : mail.folder === "drafts" ? ctx.go("compose", { draft: mail.id }) : ctx.go("message", { id: mail.id })),
    trailing: h("div", { style: { display: "flex", flexDirection: "column", alignItems: "flex-end" } },
      h("span", { class: "trailing-text", style: { display: "flex", alignItems: "center", gap: "4px", fontWeight: weight } }, mail.attachment ? icon(glyphs.attach, { size: 14 }) : null, shortMoment(ctx, mail.date)),
      h("div", { style: { marginRight: "-12px" } }, iconButton({
        id: "star", glyph: mail.starred ? glyphs.starFilled : glyphs.star, color: mail.starred ? "#f2a600" : undefined, size: 20,
        label: mail.starred ? ctx.t("Remove star", "取消星标") : ctx.t("Add star", "加星标"), onTap: star,
      }))),
  })
}

function listScreen(ctx, params) {
  ctx.ui.query ??= ""
  ctx.ui.chosen ??= new Set()
  const { folder = "inbox", label } = params
  const { chosen } = ctx.ui
  const mails = shownMails(ctx, params)
  const choosing = chosen.size > 0
  const unread = ctx.state.items.filter((mail) => mail.folder === "inbox" && !mail.read).length
  const title = label ? named(ctx, labels[label]) : named(ctx, folders[folder])
  return {
    title: choosing ? ctx.t(`${chosen.size} selected`, `已选${chosen.size}封`) : folder === "inbox" && !label && unread ? `${title} (${unread})` : title,
    back: choosing || undefined,
    onBack: () => {
      if (!chosen.size) return false
      chosen.clear()
      return true
    },
    actions: choosing ? chosenActions(ctx) : [iconButton({ id: "folders", glyph: glyphs.menu, label: ctx.t("Folders", "文件夹"), onTap: () => ctx.go("folders", { folder: label ? null : folder }) })],
    body: column(
      field({ id: "search", type: "search", value: ctx.ui.query, placeholder: ctx.t("Search mail", "搜索邮件"), onInput: (value) => { ctx.ui.query = value; ctx.redraw() }, onEnter: () => ctx.redraw() }),
      chips("filters", Object.entries(filters).map(([id, filter]) => chip({ id: `filter_${id}`, text: named(ctx, filter), selected: ctx.ui.filter === id, onTap: () => { ctx.ui.filter = ctx.ui.filter === id ? null : id; ctx.redraw() } }))),
      list({ id: "mails", items: mails, rowHeight: 88, row: (mail) => mailRow(ctx, mail), empty: ctx.ui.query.trim() ? ctx.t("No mail found", "没有找到邮件") : ctx.t("Nothing here", "这里没有邮件") })),
    fab: choosing ? null : fab({ id: "compose", glyph: glyphs.edit, label: ctx.t("Compose", "写邮件"), onTap: () => ctx.go("compose", {}) }),
  }
}

function chosenActions(ctx) {
  const mails = ctx.state.items.filter((mail) => ctx.ui.chosen.has(mail.id))
  const done = (message) => {
    ctx.ui.chosen.clear()
    ctx.toast(message)
  }
  const read = mails.every((mail) => mail.read)
  return [
    iconButton({ id: "archive", glyph: glyphs.archive, label: ctx.t("Archive", "归档"), onTap: () => { mails.forEach((mail) => move(ctx, mail, "archive")); done(ctx.t("Archived", "已归档")) } }),
    iconButton({ id: "delete", glyph: glyphs.delete, label: ctx.t("Delete", "删除"), onTap: () => { mails.forEach((mail) => remove(ctx, mail)); done(ctx.t("Deleted", "已删除")) } }),
    iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu([
      { id: "mark_read", text: read ? ctx.t("Mark as unread", "标为未读") : ctx.t("Mark as read", "标为已读"), glyph: glyphs.mail, onTap: () => { mails.forEach((mail) => setRead(ctx, mail, !read)); done(read ? ctx.t("Marked as unread", "已标为未读") : ctx.t("Marked as read", "已标为已读")) } },
      { id: "move", text: ctx.t("Move to", "移动到"), glyph: glyphs.move, onTap: () => askFolder(ctx, mails, () => done(ctx.t("Moved", "已移动"))) },
      { id: "label", text: ctx.t("Label", "标签"), glyph: glyphs.label, onTap: () => askLabel(ctx, mails, () => done(ctx.t("Labels changed", "标签已更改"))) },
    ]) }),
  ]
}

function setRead(ctx, mail, read) {
  if (mail.read === read) return
  mail.read = read
  ctx.log(`mail_read id=${mail.id} read=${read}`)
}

function move(ctx, mail, folder) {
  mail.folder = folder
  ctx.log(`mail_moved id=${mail.id} folder=${folder} subject=${quote(mail.subject)}`)
}

/** Into the trash; what lies there already is gone for good. */
function remove(ctx, mail) {
  if (mail.folder !== "trash") return move(ctx, mail, "trash")
  ctx.state.items.splice(ctx.state.items.indexOf(mail), 1)
  ctx.log(`mail_erased id=${mail.id} subject=${quote(mail.subject)}`)
}

function askFolder(ctx, mails, after) {
  ctx.menu(movable.map((id) => ({
    id: `move_${id}`, text: named(ctx, folders[id]), glyph: folders[id].glyph, checked: mails.every((mail) => mail.folder === id),
    onTap: () => { mails.forEach((mail) => move(ctx, mail, id)); after() },
  })))
}

/** A label that all of the mails have is taken away, any other is given to all. */
function askLabel(ctx, mails, after) {
  ctx.menu(Object.entries(labels).map(([id, label]) => {
    const all = mails.every((mail) => mail.labels.includes(id))
    return {
      id: `label_${id}`, text: named(ctx, label), glyph: glyphs.label, checked: all,
      onTap: () => {
        for (const mail of mails) {
          mail.labels = all ? mail.labels.filter((one) => one !== id) : [...new Set([...mail.labels, id])]
          ctx.log(`mail_labels id=${mail.id} labels=${mail.labels.join(",")}`)
        }
        after()
      },
    }
  }))
}

function foldersScreen(ctx, { folder }) {
  const count = (id) => {
    const mails = ctx.state.items.filter((mail) => lies(mail, id))
    return String((["drafts", "starred"].includes(id) ? mails : mails.filter((mail) => !mail.read)).length || "")
  }
  return {
    title: ctx.t("Mail", "邮件"),
    body: scroll({ id: "drawer" },
      row({ id: "account", avatar: ctx.state.name, title: ctx.state.name, subtitle: ctx.state.address }),
      section(ctx.t("Folders", "文件夹")),
      Object.entries(folders).map(([id, one]) => row({ id: `folder_${id}`, icon: one.glyph, title: named(ctx, one), trailing: count(id), checked: id === folder || undefined, onTap: () => ctx.replace("list", { folder: id }) })),
      section(ctx.t("Labels", "标签")),
      Object.entries(labels).map(([id, one]) => row({ id: `label_${id}`, icon: glyphs.label, title: named(ctx, one), onTap: () => ctx.replace("list", { label: id }) }))),
  }
}

function messageScreen(ctx, { id }) {
  const mail = byId(ctx, id)
  if (!mail) return { title: "", body: text(ctx.t("This mail was deleted", "该邮件已删除")) }
  if (!ctx.ui.opened) {
    ctx.ui.opened = true
    setRead(ctx, mail, true)
  }
  const leave = (act, message) => () => {
    act()
    ctx.back()
    ctx.toast(message)
  }
  const star = () => {
    mail.starred = !mail.starred
    ctx.log(`mail_starred id=${id} starred=${mail.starred}`)
    ctx.redraw()
  }
  const others = [...mail.to, ...mail.cc].filter((email) => email !== ctx.state.address)
  const contact = ctx.all.contacts?.items.find((one) => one.emails.includes(mail.from.email))
  const readers = (title, emails) => emails.length ? text(`${title} ${emails.map((email) => nameOf(ctx, email)).join(ctx.t(", ", "、"))}`, { size: 13, color: "var(--muted)" }) : null
  return {
    title: named(ctx, folders[mail.folder]),
    actions: [
      mail.folder === "inbox" ? iconButton({ id: "archive", glyph: glyphs.archive, label: ctx.t("Archive", "归档"), onTap: leave(() => move(ctx, mail, "archive"), ctx.t("Archived", "已归档")) }) : null,
      iconButton({ id: "delete", glyph: glyphs.delete, label: ctx.t("Delete", "删除"), onTap: leave(() => remove(ctx, mail), ctx.t("Deleted", "已删除")) }),
      iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu([
        { id: "mark_unread", text: ctx.t("Mark as unread", "标为未读"), glyph: glyphs.mail, onTap: leave(() => setRead(ctx, mail, false), ctx.t("Marked as unread", "已标为未读")) },
        { id: "move", text: ctx.t("Move to", "移动到"), glyph: glyphs.move, onTap: () => askFolder(ctx, [mail], leave(() => {}, ctx.t("Moved", "已移动"))) },
        { id: "label", text: ctx.t("Label", "标签"), glyph: glyphs.label, onTap: () => askLabel(ctx, [mail], ctx.redraw) },
        mail.folder === "spam"
          ? { id: "not_spam", text: ctx.t("Not spam", "不是垃圾邮件"), glyph: glyphs.inbox, onTap: leave(() => move(ctx, mail, "inbox"), ctx.t("Moved to inbox", "已移到收件箱")) }
          : { id: "report_spam", text: ctx.t("Report spam", "举报垃圾邮件"), glyph: glyphs.spam, onTap: leave(() => move(ctx, mail, "spam"), ctx.t("Reported as spam", "已举报为垃圾邮件")) },
      ]) }),
    ],
    body: column(
      scroll({ id: "message" },
        h("div", { style: { display: "flex", alignItems: "flex-start" } },
          h("div", { style: { flex: 1, minWidth: 0 } }, text(mail.subject || ctx.t("(no subject)", "（无主题）"), { id: "subject", size: 21 })),
          iconButton({ id: "star", glyph: mail.starred ? glyphs.starFilled : glyphs.star, color: mail.starred ? "#f2a600" : "var(--muted)", label: mail.starred ? ctx.t("Remove star", "取消星标") : ctx.t("Add star", "加星标"), onTap: star })),
        mail.labels.length ? chips("labels", mail.labels.map((label) => chip({ id: `label_${label}`, text: named(ctx, labels[label]), glyph: glyphs.label, onTap: () => ctx.go("list", { label }) }))) : null,
        row({ id: "sender", avatar: avatar(mail.from.name), title: mail.from.name, subtitle: mail.from.email, trailing: `${shortDay(ctx, mail.date)} ${ctx.time(mail.date)}`, onTap: contact && ctx.has("contacts") ? () => ctx.open("contacts", "detail", { id: contact.id }) : undefined }),
        readers(ctx.t("to", "收件人："), mail.to), readers(ctx.t("cc", "抄送："), mail.cc),
        h("div", { id: "body", style: { padding: "14px 16px", whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontSize: "calc(15.5px * var(--scale))", lineHeight: 1.5 } }, mail.body),
        mail.attachment ? h("div", { style: { padding: "0 16px" } }, chip({ id: "attachment", text: mail.attachment, glyph: glyphs.attach, onTap: () => ctx.dialog({ title: mail.attachment, body: ctx.t("Attached to this mail.", "此邮件的附件。"), buttons: [{ id: "close", text: ctx.t("Close", "关闭") }] }) })) : null),
      h("div", { class: "bottom-bar" },
        button({ id: "reply", glyph: glyphs.reply, text: ctx.t("Reply", "回复"), onTap: () => ctx.go("compose", replyTo(ctx, mail, false)) }),
        others.length ? button({ id: "reply_all", glyph: glyphs.replyAll, text: ctx.t("All", "全部"), label: ctx.t("Reply all", "回复全部"), onTap: () => ctx.go("compose", replyTo(ctx, mail, true)) }) : null,
        button({ id: "forward", glyph: glyphs.forward, text: ctx.t("Forward", "转发"), onTap: () => ctx.go("compose", forwardOf(ctx, mail)) }))),
  }
}

export default {
  id: "mail",
  package: "org.tapwright.mail",
  name: { en: "Mail", zh: "邮件" },
  color: "#d93025",
  glyph: glyphs.mail,
  seed: seedMail,
  home: "list",
  screens: { list: listScreen, folders: foldersScreen, message: messageScreen, compose: composeScreen, people: peopleScreen },
}
