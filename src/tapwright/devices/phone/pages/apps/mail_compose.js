/** Writing a mail: new, as an answer, or from a draft. */

import { chip, field, glyphs, h, iconButton, list, row, scroll, text, textArea } from "../kit.js"
import { attachments } from "./mail_data.js"
import { shortDay } from "./short_dates.js"

const quote = JSON.stringify
const SUGGESTIONS = 4

/** The name behind an address: the owner is "me", a contact has a name, anyone else only the address. */
export function nameOf(ctx, email) {
  if (email === ctx.state.address) return ctx.t("me", "我")
  return ctx.all.contacts?.items.find((one) => one.emails.includes(email))?.name ?? email
}

const prefixed = (prefix, subject) => (subject.toLowerCase().startsWith(prefix.toLowerCase()) ? subject : `${prefix} ${subject}`)

function quoted(ctx, mail) {
  const when = `${shortDay(ctx, mail.date)} ${ctx.time(mail.date)}`
  const head = ctx.t(`On ${when}, ${mail.from.name} wrote:`, `${mail.from.name} 于 ${when} 写道：`)
  return `${head}\n${mail.body.split("\n").map((part) => `> ${part}`).join("\n")}`
}

/** What the compose screen starts with when `mail` is answered to its writer alone, or to all its readers. The quote stays apart from what is typed until the mail is filed. */
export function replyTo(ctx, mail, all) {
  const mine = ctx.state.address
  const first = mail.from.email === mine ? mail.to : [mail.from.email]
  const to = all ? [...new Set([...first, ...mail.to])].filter((email) => email !== mine) : first
  return { to, cc: all ? mail.cc.filter((email) => email !== mine && !to.includes(email)) : [], subject: prefixed("Re:", mail.subject), quote: quoted(ctx, mail) }
}

export const forwardOf = (ctx, mail) => ({ subject: prefixed("Fwd:", mail.subject), quote: quoted(ctx, mail), attachment: mail.attachment })

function begin(ctx, params) {
  const draft = params.draft ? ctx.state.items.find((one) => one.id === params.draft) : null
  const start = draft ?? params
  return {
    id: draft?.id ?? null, to: [...(start.to ?? [])], cc: [...(start.cc ?? [])], subject: start.subject ?? "", body: start.body ?? "", quote: params.quote ?? "", attachment: start.attachment ?? null,
    typed: { to: "", cc: "" }, withCc: Boolean(start.cc?.length),
  }
}

/** Takes what is typed in an address line as an address; returns whether the line is valid. */
function settleTyped(mail, line) {
  const typed = mail.typed[line].trim().replace(/[,;]$/, "")
  if (!typed) return true
  if (!/^\S+@\S+\.\S+$/.test(typed)) return false
  if (!mail[line].includes(typed)) mail[line].push(typed)
  mail.typed[line] = ""
  return true
}

/** Puts the mail into a folder, in place of the draft it came from. */
function file(ctx, mail, folder) {
  let stored = ctx.state.items.find((one) => one.id === mail.id)
  if (!stored) {
    stored = { id: 1 + Math.max(0, ...ctx.state.items.map((one) => one.id)), starred: false, labels: [] }
    ctx.state.items.push(stored)
  }
  Object.assign(stored, {
    folder, from: { name: ctx.state.name, email: ctx.state.address }, to: mail.to, cc: mail.cc, subject: mail.subject.trim(), body: [mail.body, mail.quote].filter(Boolean).join("\n\n"), date: ctx.now(), read: true, attachment: mail.attachment,
  })
  return stored
}

const content = (mail) => quote([mail.to, mail.cc, mail.subject, mail.body, mail.quote, mail.attachment])

function send(ctx) {
  const { mail } = ctx.ui
  if (!settleTyped(mail, "to") || !settleTyped(mail, "cc")) return ctx.toast(ctx.t("That is not a mail address", "邮箱地址无效"))
  if (!mail.to.length) return ctx.toast(ctx.t("Add a recipient first", "请先添加收件人"))
  const sent = file(ctx, mail, "sent")
  ctx.log(`mail_sent id=${sent.id} to=${quote(sent.to.join(","))} subject=${quote(sent.subject)}`)
  ctx.back()
  ctx.toast(ctx.t("Sent", "已发送"))
}

/** Leaving keeps a changed mail as a draft. */
function keepDraft(ctx) {
  const { mail, before } = ctx.ui
  settleTyped(mail, "to")
  settleTyped(mail, "cc")
  if (content(mail) === before) return
  const draft = file(ctx, mail, "drafts")
  ctx.log(`draft_saved id=${draft.id} subject=${quote(draft.subject)}`)
  ctx.toast(ctx.t("Draft saved", "草稿已保存"))
}

function discard(ctx) {
  const at = ctx.state.items.findIndex((one) => one.id === ctx.ui.mail.id)
  if (at >= 0) ctx.state.items.splice(at, 1)
  ctx.log(`draft_discarded id=${ctx.ui.mail.id ?? "none"}`)
  ctx.back()
  ctx.toast(ctx.t("Draft discarded", "草稿已舍弃"))
}

function suggestions(ctx, line) {
  const { mail } = ctx.ui
  const wanted = mail.typed[line].trim().toLowerCase()
  if (!wanted) return null
  const found = (ctx.all.contacts?.items ?? [])
    .filter((one) => one.emails.length && (one.name.toLowerCase().includes(wanted) || one.sort.includes(wanted) || one.emails.some((email) => email.includes(wanted))))
    .slice(0, SUGGESTIONS)
  const take = (email) => {
    if (!mail[line].includes(email)) mail[line].push(email)
    mail.typed[line] = ""
    ctx.redraw()
  }
  return found.map((one) => row({ id: "suggestion", avatar: one.name, title: one.name, subtitle: one.emails[0], onTap: () => take(one.emails[0]) }))
}

function addressLine(ctx, line, title) {
  const { mail } = ctx.ui
  const drop = (email) => {
    mail[line] = mail[line].filter((one) => one !== email)
    ctx.redraw()
  }
  return [
    mail[line].length ? h("div", { id: `${line}_chips`, style: { display: "flex", flexWrap: "wrap", gap: "6px", padding: "8px 16px 0" } },
      mail[line].map((email) => h("button", { class: "chip", id: "recipient", label: ctx.t(`Remove ${email}`, `移除${email}`), onTap: () => drop(email) }, nameOf(ctx, email), " ×"))) : null,
    field({
      id: line, label: title, type: "email", value: mail.typed[line], autofocus: line === "to" && !mail.to.length,
      onInput: (value) => {
        mail.typed[line] = value
        if (/[,;\s]$/.test(value)) settleTyped(mail, line)
        ctx.redraw()
      },
      onEnter: () => {
        if (!settleTyped(mail, line)) ctx.toast(ctx.t("That is not a mail address", "邮箱地址无效"))
        ctx.redraw()
      },
    }),
    suggestions(ctx, line),
  ]
}

function attach(ctx) {
  ctx.menu(attachments[ctx.language].map(({ name }, at) => ({
    id: `attach_${at}`, text: name, glyph: glyphs.file, checked: ctx.ui.mail.attachment === name, onTap: () => { ctx.ui.mail.attachment = name; ctx.redraw() },
  })))
}

export function composeScreen(ctx, params) {
  ctx.ui.mail ??= begin(ctx, params)
  ctx.ui.before ??= content(ctx.ui.mail)
  const { mail } = ctx.ui
  return {
    title: ctx.t("Compose", "写邮件"),
    onBack: () => { keepDraft(ctx); return false },
    actions: [
      iconButton({ id: "attach", glyph: glyphs.attach, label: ctx.t("Attach a file", "添加附件"), onTap: () => attach(ctx) }),
      iconButton({ id: "send", glyph: glyphs.send, label: ctx.t("Send", "发送"), onTap: () => send(ctx) }),
      iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu([
        { id: "from_contacts", text: ctx.t("Choose from contacts", "从通讯录选择"), glyph: glyphs.group, onTap: () => ctx.permit("contacts", () => ctx.go("people", { mail })) },
        { id: "add_cc", text: ctx.t("Add Cc", "添加抄送"), glyph: glyphs.person, onTap: () => { mail.withCc = true; ctx.redraw() } },
        { id: "discard", text: ctx.t("Discard", "舍弃"), glyph: glyphs.delete, danger: true, onTap: () => discard(ctx) },
      ]) }),
    ],
    body: scroll({ id: "compose_form" },
      text(ctx.t(`From ${ctx.state.address}`, `发件人：${ctx.state.address}`), { size: 13, color: "var(--muted)" }),
      addressLine(ctx, "to", ctx.t("To", "收件人")),
      mail.withCc ? addressLine(ctx, "cc", ctx.t("Cc", "抄送")) : null,
      field({ id: "subject", label: ctx.t("Subject", "主题"), value: mail.subject, onInput: (value) => { mail.subject = value } }),
      textArea({ id: "body", label: ctx.t("Message", "正文"), value: mail.body, rows: mail.quote ? 6 : 11, autofocus: mail.to.length > 0 && mail.quote !== "", onInput: (value) => { mail.body = value } }),
      mail.quote ? h("div", { style: { display: "flex", alignItems: "flex-start" } },
        h("div", { id: "quote", style: { flex: 1, minWidth: 0, margin: "8px 0 8px 16px", padding: "4px 12px", borderLeft: "3px solid var(--line)", color: "var(--muted)", whiteSpace: "pre-wrap", overflowWrap: "anywhere", fontSize: "calc(14px * var(--scale))" } }, mail.quote),
        iconButton({ id: "remove_quote", glyph: glyphs.close, label: ctx.t("Remove the quoted mail", "移除引用"), size: 20, onTap: () => { mail.quote = ""; ctx.redraw() } })) : null,
      mail.attachment ? h("div", { style: { padding: "4px 16px" } }, h("button", {
        class: "chip", id: "attachment", label: ctx.t(`Remove ${mail.attachment}`, `移除${mail.attachment}`), onTap: () => { mail.attachment = null; ctx.redraw() },
      }, mail.attachment, " ×")) : null),
  }
}

/** Everybody in the contacts who has an address; a tap adds it to the mail that is being written. */
export function peopleScreen(ctx, { mail }) {
  ctx.ui.search ??= ""
  const needle = ctx.ui.search.trim().toLowerCase()
  const found = ctx.all.contacts.items.filter((one) => one.emails.length && `${one.name} ${one.emails[0]}`.toLowerCase().includes(needle))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const take = (email) => {
    if (!mail.to.includes(email)) mail.to.push(email)
    ctx.back()
  }
  return {
    title: ctx.t("Choose from contacts", "从通讯录选择"),
    body: list({
      id: "people", items: found, rowHeight: 66, empty: ctx.t("Nobody found", "没有找到联系人"),
      header: field({ id: "search", type: "search", placeholder: ctx.t("Search contacts", "搜索联系人"), value: ctx.ui.search, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } }),
      row: (one) => row({ id: "person", avatar: one.name, title: one.name, subtitle: one.emails[0], onTap: () => take(one.emails[0]) }),
    }),
  }
}
