/** Notes: text and checklists in folders, with colours, pins, search and a trash. */

import { button, checkbox, chip, chips, column, fab, field, glyphs, h, icon, iconButton, list, row, section, text, textArea } from "../kit.js"
import { draftNotes, folderNames } from "./notes_data.js"
import { shortMoment } from "./short_dates.js"

const DAY = 86400000
const quote = JSON.stringify

/** Paper colours, light and dark theme. */
const papers = { none: ["", ""], yellow: ["#fff3c4", "#4d4118"], green: ["#dcf3dc", "#1f4228"], blue: ["#d8e9fb", "#1d3a57"], pink: ["#fbdfe6", "#572837"], purple: ["#eadffb", "#3c2c5c"] }
const edges = { yellow: "#f2c230", green: "#58b368", blue: "#4a90e2", pink: "#ec7a99", purple: "#9b72e8" }
const paperName = (ctx, color) => ({
  none: ctx.t("No color", "无颜色"), yellow: ctx.t("Yellow", "黄色"), green: ctx.t("Green", "绿色"), blue: ctx.t("Blue", "蓝色"), pink: ctx.t("Pink", "粉色"), purple: ctx.t("Purple", "紫色"),
})[color]
const paperOf = (ctx, note) => papers[note.color][ctx.all.settings.dark_theme ? 1 : 0]

const sorts = {
  updated: { en: "Last changed", zh: "最近修改", compare: (one, other) => other.updated - one.updated },
  created: { en: "Date created", zh: "创建日期", compare: (one, other) => other.created - one.created },
  title: { en: "Title", zh: "标题", compare: (one, other) => (one.title < other.title ? -1 : one.title > other.title ? 1 : 0) },
}

function seed(random, language, now) {
  const drafts = random.shuffle(draftNotes(random, language))
  const items = drafts.map((draft, at) => {
    const created = random.date(now - 300 * DAY, now - DAY)
    return {
      id: at + 1, title: draft.title, body: draft.body, folder: draft.folder, pinned: random.chance(0.025), color: random.chance(0.3) ? random.pick(Object.keys(papers)) : "none",
      checklist: draft.checklist, created, updated: random.chance(0.5) ? created : random.date(created, now), deleted: random.chance(0.035),
    }
  })
  return { items, folders: Object.entries(folderNames[language]).map(([id, name]) => ({ id, name })), sort: "updated" }
}

const byId = (ctx, id) => ctx.state.items.find((one) => one.id === id)
const folderName = (ctx, id) => ctx.state.folders.find((one) => one.id === id)?.name ?? ""

/** The plain text of a note, for rows, search and sharing. */
const plain = (note) => note.checklist ? [note.body, ...note.checklist.map((one) => `${one.done ? "[x]" : "[ ]"} ${one.text}`)].filter(Boolean).join("\n") : note.body

function matches(note, query) {
  const wanted = query.trim().toLowerCase()
  return `${note.title}\n${plain(note)}`.toLowerCase().includes(wanted)
}

function shownNotes(ctx) {
  const { folder, query } = ctx.ui
  return ctx.state.items
    .filter((note) => note.deleted === (folder === "trash") && (folder === "all" || folder === "trash" || note.folder === folder) && matches(note, query))
    .sort((one, other) => other.pinned - one.pinned || sorts[ctx.state.sort].compare(one, other) || one.id - other.id)
}

function noteRow(ctx, note) {
  const { chosen } = ctx.ui
  const flip = () => {
    if (!chosen.delete(note.id)) chosen.add(note.id)
    ctx.redraw()
  }
  const items = note.checklist
  const preview = items
    ? ctx.t(`${items.filter((one) => one.done).length} of ${items.length} done · `, `${items.length}项中已完成${items.filter((one) => one.done).length}项 · `) + items.map((one) => one.text).join(ctx.t(", ", "、"))
    : note.body.replace(/\s+/g, " ")
  const shown = row({
    id: "note", title: note.title || ctx.t("Untitled", "无标题"), subtitle: preview, lines: 2, selected: chosen.has(note.id) || undefined,
    onTap: () => (chosen.size ? flip() : ctx.go("edit", { id: note.id })), onLongPress: flip,
    trailing: h("div", { style: { display: "flex", flexDirection: "column", alignItems: "flex-end", gap: "4px" } },
      h("span", { class: "trailing-text" }, shortMoment(ctx, note.updated)), note.pinned ? icon(glyphs.pin, { size: 18, color: "var(--primary)" }) : null),
  })
  if (note.color !== "none" && !chosen.has(note.id)) shown.style.background = `linear-gradient(to right, ${edges[note.color]} 6px, transparent 6px)`
  return shown
}

function listScreen(ctx) {
  ctx.ui.folder ??= "all"
  ctx.ui.query ??= ""
  ctx.ui.chosen ??= new Set()
  const { folder, chosen } = ctx.ui
  const notes = shownNotes(ctx)
  const pick = (id, name) => chip({ id: `folder_${id}`, text: name, selected: folder === id, onTap: () => { ctx.ui.folder = id; chosen.clear(); ctx.redraw() } })
  const choosing = chosen.size > 0
  return {
    title: choosing ? ctx.t(`${chosen.size} selected`, `已选${chosen.size}条`) : folder === "all" ? ctx.t("Notes", "笔记") : folder === "trash" ? ctx.t("Trash", "回收站") : folderName(ctx, folder),
    back: choosing,
    onBack: () => {
      if (!chosen.size) return false
      chosen.clear()
      return true
    },
    actions: choosing ? chosenActions(ctx) : [
      iconButton({ id: "sort", glyph: glyphs.sort, label: ctx.t("Sort", "排序"), onTap: () => ctx.menu(Object.entries(sorts).map(([id, sort]) => ({
        id: `sort_${id}`, text: ctx.t(sort.en, sort.zh), checked: ctx.state.sort === id, onTap: () => { ctx.state.sort = id; ctx.log(`sort_changed sort=${id}`); ctx.redraw() },
      }))) }),
      iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu([
        { id: "new_folder", text: ctx.t("New folder", "新建文件夹"), glyph: glyphs.newFolder, onTap: () => askFolderName(ctx) },
        { id: "empty_trash", text: ctx.t("Empty trash", "清空回收站"), glyph: glyphs.delete, danger: true, onTap: () => askEmptyTrash(ctx) },
      ]) }),
    ],
    body: column(
      field({ id: "search", type: "search", value: ctx.ui.query, placeholder: ctx.t("Search notes", "搜索笔记"), onInput: (value) => { ctx.ui.query = value; ctx.redraw() }, onEnter: () => ctx.redraw() }),
      chips("folders", pick("all", ctx.t("All", "全部")), ctx.state.folders.map((one) => pick(one.id, one.name)), pick("trash", ctx.t("Trash", "回收站"))),
      list({ id: "notes", items: notes, rowHeight: 80, row: (note) => noteRow(ctx, note), empty: folder === "trash" ? ctx.t("Trash is empty", "回收站是空的") : ctx.t("No notes here", "这里没有笔记") })),
    fab: choosing || folder === "trash" ? null : fab({ id: "add", glyph: glyphs.add, label: ctx.t("New note", "新建笔记"), onTap: () => ctx.menu([
      { id: "new_text", text: ctx.t("Text note", "文字笔记"), glyph: glyphs.notes, onTap: () => ctx.go("edit", { folder }) },
      { id: "new_checklist", text: ctx.t("Checklist", "清单"), glyph: glyphs.list, onTap: () => ctx.go("edit", { folder, checklist: true }) },
    ]) }),
  }
}

function chosenActions(ctx) {
  const notes = ctx.state.items.filter((one) => ctx.ui.chosen.has(one.id))
  const done = (message) => {
    ctx.ui.chosen.clear()
    ctx.toast(message)
  }
  if (ctx.ui.folder === "trash") {
    return [
      iconButton({ id: "restore", glyph: glyphs.restore, label: ctx.t("Restore", "恢复"), onTap: () => { notes.forEach((note) => setDeleted(ctx, note, false)); done(ctx.t("Notes restored", "笔记已恢复")) } }),
      iconButton({ id: "delete_forever", glyph: glyphs.delete, label: ctx.t("Delete forever", "永久删除"), onTap: () => { notes.forEach((note) => erase(ctx, note)); done(ctx.t("Notes deleted forever", "笔记已永久删除")) } }),
    ]
  }
  const pinned = notes.every((note) => note.pinned)
  return [
    iconButton({ id: "pin", glyph: glyphs.pin, label: pinned ? ctx.t("Unpin", "取消置顶") : ctx.t("Pin", "置顶"), onTap: () => { notes.forEach((note) => setPinned(ctx, note, !pinned)); done(pinned ? ctx.t("Unpinned", "已取消置顶") : ctx.t("Pinned", "已置顶")) } }),
    iconButton({ id: "move", glyph: glyphs.move, label: ctx.t("Move", "移动"), onTap: () => askFolder(ctx, notes, () => done(ctx.t("Notes moved", "笔记已移动"))) }),
    iconButton({ id: "delete", glyph: glyphs.delete, label: ctx.t("Delete", "删除"), onTap: () => { notes.forEach((note) => setDeleted(ctx, note, true)); done(ctx.t("Moved to trash", "已移到回收站")) } }),
  ]
}

function setPinned(ctx, note, pinned) {
  note.pinned = pinned
  ctx.log(`note_pinned id=${note.id} pinned=${pinned}`)
}

function setDeleted(ctx, note, deleted) {
  note.deleted = deleted
  ctx.log(`${deleted ? "note_deleted" : "note_restored"} id=${note.id} title=${quote(note.title)}`)
}

function erase(ctx, note) {
  ctx.state.items.splice(ctx.state.items.indexOf(note), 1)
  ctx.log(`note_erased id=${note.id} title=${quote(note.title)}`)
}

function askFolder(ctx, notes, after) {
  ctx.menu(ctx.state.folders.map((folder) => ({
    id: `move_${folder.id}`, text: folder.name, glyph: glyphs.folder, checked: notes.every((note) => note.folder === folder.id),
    onTap: () => {
      for (const note of notes) {
        note.folder = folder.id
        ctx.log(`note_moved id=${note.id} folder=${folder.id}`)
      }
      after()
    },
  })))
}

function askFolderName(ctx) {
  let name = ""
  const make = () => {
    name = name.trim()
    if (!name || ctx.state.folders.some((one) => one.name === name)) return false
    const id = `folder${ctx.state.folders.length + 1}`
    ctx.state.folders.push({ id, name })
    ctx.log(`folder_created id=${id} name=${quote(name)}`)
    ctx.ui.folder = id
    ctx.redraw()
  }
  ctx.dialog({
    title: ctx.t("New folder", "新建文件夹"), body: field({ id: "folder_name", label: ctx.t("Name", "名称"), autofocus: true, onInput: (value) => { name = value }, onEnter: () => make() !== false && ctx.closeDialog() }),
    buttons: [{ id: "cancel", text: ctx.t("Cancel", "取消") }, { id: "create", text: ctx.t("Create", "创建"), primary: true, onTap: make }],
  })
}

function askEmptyTrash(ctx) {
  const trash = ctx.state.items.filter((note) => note.deleted)
  ctx.dialog({
    title: ctx.t("Empty trash?", "清空回收站？"), body: ctx.t(`${trash.length} notes will be gone for good.`, `${trash.length}条笔记将被永久删除。`),
    buttons: [{ id: "cancel", text: ctx.t("Cancel", "取消") }, { id: "confirm", text: ctx.t("Empty", "清空"), primary: true, danger: true, onTap: () => trash.forEach((note) => erase(ctx, note)) }],
  })
}

/** Writes the draft back, or makes its note; a new draft without any text is dropped. */
function save(ctx, params) {
  const { draft } = ctx.ui
  const checklist = draft.checklist?.filter((one) => one.text.trim()) ?? null
  let note = params.id ? byId(ctx, params.id) : null
  const before = note && quote([note.title, note.body, note.checklist, note.color, note.folder])
  if (before === quote([draft.title, draft.body, checklist, draft.color, draft.folder])) return
  if (!note) {
    if (!draft.title.trim() && !draft.body.trim() && !checklist?.length) return
    note = { id: 1 + Math.max(0, ...ctx.state.items.map((one) => one.id)), pinned: draft.pinned, created: ctx.now(), deleted: false }
    ctx.state.items.push(note)
  }
  Object.assign(note, { title: draft.title.trim(), body: draft.body, folder: draft.folder, color: draft.color, checklist, updated: ctx.now() })
  ctx.log(`note_saved id=${note.id} title=${quote(note.title)}`)
  ctx.toast(ctx.t("Note saved", "笔记已保存"))
}

function editScreen(ctx, params) {
  const note = params.id ? byId(ctx, params.id) : null
  if (params.id && !note) return { title: "", body: text(ctx.t("This note was deleted", "该笔记已删除")) }
  const home = ctx.state.folders.some((one) => one.id === params.folder) ? params.folder : "personal"
  ctx.ui.draft ??= note
    ? { title: note.title, body: note.body, folder: note.folder, color: note.color, checklist: structuredClone(note.checklist) }
    : { title: "", body: params.body ?? "", folder: home, color: "none", pinned: false, checklist: params.checklist ? [] : null }
  const { draft } = ctx.ui
  const holder = note ?? draft
  const paper = paperOf(ctx, draft)
  const restore = () => { setDeleted(ctx, note, false); ctx.toast(ctx.t("Note restored", "笔记已恢复")) }
  return {
    title: note ? folderName(ctx, draft.folder) : ctx.t("New note", "新建笔记"),
    onBack: () => { save(ctx, params); return false },
    actions: note?.deleted ? [iconButton({ id: "restore", glyph: glyphs.restore, label: ctx.t("Restore", "恢复"), onTap: restore })] : [
      iconButton({ id: "pin", glyph: glyphs.pin, color: holder.pinned ? "var(--primary)" : "var(--muted)", label: holder.pinned ? ctx.t("Unpin", "取消置顶") : ctx.t("Pin", "置顶"), onTap: () => {
        if (note) setPinned(ctx, note, !note.pinned)
        else draft.pinned = !draft.pinned
        ctx.redraw()
      } }),
      iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: () => ctx.menu(editMenu(ctx, note, draft)) }),
      h("div", { style: { padding: "0 12px 0 4px" } }, button({ id: "save", text: ctx.t("Save", "保存"), primary: true, onTap: () => { save(ctx, params); ctx.back() } })),
    ],
    body: h("div", { class: "scroller", id: "note_page", "data-scroll": "note_page", style: paper ? { background: paper } : {} },
      field({ id: "note_title", label: ctx.t("Title", "标题"), value: draft.title, autofocus: !note, onInput: (value) => { draft.title = value } }),
      draft.checklist ? checklistPart(ctx, note, draft) : textArea({ id: "note_body", label: ctx.t("Note", "正文"), value: draft.body, rows: 12, onInput: (value) => { draft.body = value } }),
      section(ctx.t("Color", "颜色")),
      chips("colors", Object.keys(papers).map((color) => chip({ id: `color_${color}`, text: paperName(ctx, color), selected: draft.color === color, onTap: () => { draft.color = color; ctx.redraw() } }))),
      note ? text(ctx.t(`Changed ${shortMoment(ctx, note.updated)} · created ${shortMoment(ctx, note.created)}`, `修改于${shortMoment(ctx, note.updated)} · 创建于${shortMoment(ctx, note.created)}`), { id: "dates", size: 13, color: "var(--muted)" }) : null),
  }
}

/** Checking a box of a stored note counts at once; texts wait for the save. */
function checklistPart(ctx, note, draft) {
  const flip = (item, at) => {
    item.done = !item.done
    const stored = note?.checklist?.[at]
    if (stored && stored.text === item.text) {
      stored.done = item.done
      note.updated = ctx.now()
      ctx.log(`checklist_item id=${note.id} text=${quote(item.text)} done=${item.done}`)
    }
    ctx.redraw()
  }
  const add = () => {
    const added = (ctx.ui.adding ?? "").trim()
    if (!added) return
    draft.checklist.push({ text: added, done: false })
    ctx.ui.adding = ""
    ctx.redraw()
  }
  return [
    draft.checklist.map((item, at) => h("div", { style: { display: "flex", alignItems: "center", padding: "0 4px" } },
      checkbox({ id: "item_check", label: item.text, value: item.done, onTap: () => flip(item, at) }),
      h("div", { id: "item_text", style: { flex: 1, minWidth: 0, textDecoration: item.done ? "line-through" : "none", color: item.done ? "var(--muted)" : "var(--text)" }, onTap: () => flip(item, at), role: "button" }, item.text),
      iconButton({ id: "item_remove", glyph: glyphs.close, label: ctx.t(`Remove ${item.text}`, `移除${item.text}`), size: 20, onTap: () => { draft.checklist.splice(at, 1); ctx.redraw() } }))),
    h("div", { style: { display: "flex", alignItems: "center", paddingRight: "4px" } },
      h("div", { style: { flex: 1 } }, field({ id: "item_new", placeholder: ctx.t("New item", "新项目"), value: ctx.ui.adding ?? "", onInput: (value) => { ctx.ui.adding = value }, onEnter: add })),
      iconButton({ id: "item_add", glyph: glyphs.add, label: ctx.t("Add item", "添加项目"), onTap: add })),
  ]
}

function editMenu(ctx, note, draft) {
  const toList = () => {
    draft.checklist = draft.body.split("\n").filter((line) => line.trim()).map((line) => ({ text: line.trim(), done: false }))
    draft.body = ""
    ctx.redraw()
  }
  const toText = () => {
    draft.body = [draft.body, ...draft.checklist.map((one) => one.text)].filter(Boolean).join("\n")
    draft.checklist = null
    ctx.redraw()
  }
  return [
    ...(ctx.has("mail") ? [{ id: "share", text: ctx.t("Share by mail", "用邮件分享"), glyph: glyphs.share, onTap: () => ctx.open("mail", "compose", { subject: draft.title, body: plain(draft) }) }] : []),
    { id: "move", text: ctx.t("Move to folder", "移动到文件夹"), glyph: glyphs.move, onTap: () => ctx.menu(ctx.state.folders.map((folder) => ({
      id: `move_${folder.id}`, text: folder.name, glyph: glyphs.folder, checked: draft.folder === folder.id, onTap: () => {
        draft.folder = folder.id
        if (note) {
          note.folder = folder.id
          ctx.log(`note_moved id=${note.id} folder=${folder.id}`)
        }
        ctx.redraw()
      },
    }))) },
    draft.checklist
      ? { id: "to_text", text: ctx.t("Turn into text", "转为文字"), glyph: glyphs.notes, onTap: toText }
      : { id: "to_checklist", text: ctx.t("Turn into a checklist", "转为清单"), glyph: glyphs.list, onTap: toList },
    ...(note ? [{ id: "delete", text: ctx.t("Delete", "删除"), glyph: glyphs.delete, danger: true, onTap: () => { setDeleted(ctx, note, true); ctx.back(); ctx.toast(ctx.t("Moved to trash", "已移到回收站")) } }] : []),
  ]
}

export default {
  id: "notes",
  package: "org.tapwright.notes",
  name: { en: "Notes", zh: "笔记" },
  color: "#f9ab00",
  glyph: glyphs.notes,
  seed,
  home: "list",
  screens: { list: listScreen, edit: editScreen },
}
