/** Talking to a contact: the call screen and the text messages. */

import { avatar, field, glyphs, h, icon, iconButton, scroll, text } from "../kit.js"
import { shortMoment } from "./short_dates.js"

const quote = JSON.stringify
const byId = (ctx, id) => ctx.state.items.find((one) => one.id === id)

/** A call rings for this long on the phone's clock before it is answered. */
const RINGING_MS = 3000

export function callScreen(ctx, { contact: id, number }) {
  const contact = byId(ctx, id)
  if (ctx.ui.since === undefined) {
    Object.assign(ctx.ui, { since: ctx.now(), muted: false, speaker: false })
    ctx.log(`call_started contact=${id} number=${quote(number)}`)
  }
  const elapsed = ctx.now() - ctx.ui.since
  const talked = Math.max(0, Math.floor((elapsed - RINGING_MS) / 1000))
  const clock = `${String(Math.floor(talked / 60)).padStart(2, "0")}:${String(talked % 60).padStart(2, "0")}`
  const hangUp = () => {
    const { calls } = ctx.state
    calls.unshift({ id: calls.length + 1, contact: id, number, kind: "out", at: ctx.ui.since, duration_s: talked })
    ctx.log(`call_ended contact=${id} number=${quote(number)} duration_s=${talked}`)
    ctx.back()
  }
  const flip = (name, glyph, label) => h("button", {
    class: `chip ${ctx.ui[name] ? "selected" : ""}`, id: name, "aria-pressed": String(ctx.ui[name]), style: { height: "48px", padding: "0 20px" },
    onTap: () => { ctx.ui[name] = !ctx.ui[name]; ctx.redraw() },
  }, icon(glyph, { size: 20 }), label)
  return {
    title: ctx.t("Call", "通话"),
    back: false,
    onBack: () => { hangUp(); return true },
    body: h("div", { style: { display: "flex", flexDirection: "column", alignItems: "center", justifyContent: "space-between", height: "100%", padding: "48px 24px 40px", boxSizing: "border-box" } },
      h("div", { style: { display: "flex", flexDirection: "column", alignItems: "center", gap: "12px" } },
        avatar(contact?.name ?? "#", { size: 120 }),
        text(contact?.name ?? number, { id: "callee", size: 28 }),
        text(number, { id: "number", size: 16, color: "var(--muted)" }),
        text(elapsed < RINGING_MS ? ctx.t("Calling…", "正在呼叫…") : clock, { id: "call_status", size: 18 })),
      h("div", { style: { display: "flex", gap: "16px" } },
        flip("muted", glyphs.mute, ctx.t("Mute", "静音")), flip("speaker", glyphs.volume, ctx.t("Speaker", "免提"))),
      h("button", {
        id: "hang_up", label: ctx.t("Hang up", "挂断"), onTap: hangUp,
        style: { width: "72px", height: "72px", borderRadius: "50%", border: "none", background: "#d93025", color: "#fff", display: "flex", alignItems: "center", justifyContent: "center" },
      }, icon(glyphs.hangUp, { size: 36 }))),
  }
}

export function messagesScreen(ctx, { contact: id }) {
  const contact = byId(ctx, id)
  ctx.ui.text ??= ""
  const messages = ctx.state.messages.filter((one) => one.contact === id)
  const send = () => {
    const body = ctx.ui.text.trim()
    if (!body) return
    ctx.state.messages.push({ id: ctx.state.messages.length + 1, contact: id, text: body, out: true, at: ctx.now() })
    ctx.ui.text = ""
    ctx.log(`message_sent contact=${id} to=${quote(contact.name)} text=${quote(body)}`)
    ctx.redraw()
  }
  const bubble = (message) => h("div", { id: "message", style: {
    alignSelf: message.out ? "flex-end" : "flex-start", maxWidth: "75%", padding: "4px 0", borderRadius: "18px", margin: "4px 16px",
    background: message.out ? "var(--primary)" : "var(--surface-high)", color: message.out ? "var(--on-primary)" : "var(--text)",
  } }, text(message.text, { size: 15 }), text(shortMoment(ctx, message.at), { size: 11 }))
  return {
    title: contact.name,
    actions: [iconButton({ id: "call_button", glyph: glyphs.phone, label: ctx.t("Call", "呼叫"), onTap: () => ctx.go("call", { contact: id, number: contact.phones[0].number }) })],
    body: h("div", { class: "column" },
      scroll({ id: "thread" }, h("div", { style: { display: "flex", flexDirection: "column", padding: "8px 0" } }, messages.map(bubble))),
      h("div", { style: { display: "flex", alignItems: "center", flex: "none", paddingRight: "8px" } },
        h("div", { style: { flex: 1 } }, field({ id: "message_text", placeholder: ctx.t("Text message", "短信"), value: ctx.ui.text, onInput: (value) => { ctx.ui.text = value }, onEnter: send })),
        iconButton({ id: "send", glyph: glyphs.send, label: ctx.t("Send", "发送"), onTap: send }))),
  }
}
