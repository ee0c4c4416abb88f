/** Files: browse, search, select, and move a tree of files; deleted ones wait in the trash. */

import { button, card, chip, chips, column, fab, field, glyphs, h, icon, iconButton, list, picture, row, scroll, text, textArea } from "../kit.js"
import { pictureMarkup, seedFiles, thumbnail, typeOf } from "./files_data.js"

const quote = JSON.stringify
const typeGlyphs = { folder: glyphs.folder, text: glyphs.document, image: glyphs.image, audio: glyphs.music, video: glyphs.video, pdf: glyphs.file, sheet: glyphs.grid, archive: glyphs.archive, app: glyphs.apps, file: glyphs.file }
const typeColors = { folder: "#5b7fa6", text: "#1a73e8", audio: "#9334e6", video: "#c5221f", pdf: "#b3261e", sheet: "#188038", archive: "#b06000", app: "#00796b", file: "#5f6368" }
const typeNames = { folder: ["Folder", "文件夹"], text: ["Text", "文本"], image: ["Images", "图片"], audio: ["Audio", "音频"], video: ["Videos", "视频"], pdf: ["PDF", "PDF"], sheet: ["Sheets", "表格"], archive: ["Archives", "压缩包"], app: ["App packages", "安装包"], file: ["File", "文件"] }
const sorts = { name: ["Name", "名称"], newest: ["Newest first", "最新优先"], oldest: ["Oldest first", "最旧优先"], largest: ["Largest first", "最大优先"], type: ["Type", "类型"] }
const orders = { name: () => 0, newest: (a, b) => b.modified - a.modified, oldest: (a, b) => a.modified - b.modified, largest: (a, b) => b.size - a.size, type: (a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0) }
const collator = new Intl.Collator("en", { numeric: true })

const pathOf = (item) => (item.parent ? `${item.parent}/${item.name}` : item.name)
const isUnder = (item, path) => item.parent === path || item.parent.startsWith(`${path}/`)
const alive = (ctx) => ctx.state.items.filter((item) => !item.trashed)
const isTaken = (ctx, parent, name, except) => alive(ctx).some((item) => item !== except && item.parent === parent && item.name === name)
const rootName = (ctx) => ctx.t("Internal storage", "内部存储")
const shortName = (ctx, path) => path.split("/").at(-1) || rootName(ctx)

function sizeText(bytes) {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`
  return `${(bytes / 1e9).toFixed(1)} GB`
}

function sorted(ctx, items) {
  const order = orders[ctx.state.sort]
  const rank = (item) => (item.type === "folder" ? 0 : 1)
  return [...items].sort((a, b) => rank(a) - rank(b) || order(a, b) || collator.compare(a.name, b.name) || a.id - b.id)
}

/** A name no other item in the folder has: "a.txt", "a (2).txt", … */
function freeName(ctx, parent, name) {
  let free = name
  for (let copy = 2; isTaken(ctx, parent, free); copy++) free = name.replace(/(\.[^.]*)?$/, ` (${copy})$1`)
  return free
}

/** Gives an item a new place; what lies in a folder moves with it. */
function relocate(ctx, item, parent, name) {
  const from = pathOf(item)
  if (item.type === "folder") {
    const to = parent ? `${parent}/${name}` : name
    for (const other of ctx.state.items) if (isUnder(other, from)) other.parent = to + other.parent.slice(from.length)
  }
  Object.assign(item, { parent, name })
}

const nextId = (ctx) => Math.max(0, ...ctx.state.items.map((item) => item.id)) + 1

function moveItem(ctx, item, parent) {
  const from = pathOf(item)
  relocate(ctx, item, parent, freeName(ctx, parent, item.name))
  ctx.log(`file_moved from=${quote(from)} to=${quote(pathOf(item))}`)
}

function copyItem(ctx, item, parent) {
  const from = pathOf(item)
  const inside = item.type === "folder" ? alive(ctx).filter((other) => isUnder(other, from)) : []
  const copy = { ...structuredClone(item), id: nextId(ctx), parent, name: freeName(ctx, parent, item.name), modified: ctx.now() }
  ctx.state.items.push(copy)
  for (const other of inside) ctx.state.items.push({ ...structuredClone(other), id: nextId(ctx), parent: pathOf(copy) + other.parent.slice(from.length) })
  ctx.log(`file_copied from=${quote(from)} to=${quote(pathOf(copy))}`)
}

function trashItem(ctx, item) {
  const path = pathOf(item)
  if (item.type === "folder") for (const other of ctx.state.items) if (isUnder(other, path)) other.trashed = true
  item.trashed = true
  ctx.log(`file_deleted path=${quote(path)}`)
}

/** Restoring brings back the folders above the item, and all that a folder held. */
function restoreItem(ctx, item) {
  const path = pathOf(item)
  for (const other of ctx.state.items) {
    const above = other.type === "folder" && path.startsWith(`${pathOf(other)}/`)
    if (above || (item.type === "folder" && isUnder(other, path))) other.trashed = false
  }
  item.name = freeName(ctx, item.parent, item.name)
  item.trashed = false
  ctx.log(`file_restored path=${quote(pathOf(item))}`)
}

function askName(ctx, { title, value, ok, onName }) {
  let draft = value
  const save = () => {
    const name = draft.trim()
    if (!name || name.includes("/")) {
      ctx.toast(ctx.t("Enter a name without /", "请输入不含 / 的名称"))
      return false
    }
    return onName(name)
  }
  ctx.dialog({
    title, body: field({ id: "name", label: ctx.t("Name", "名称"), value, autofocus: true, onInput: (next) => { draft = next } }),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ok, id: "ok", primary: true, onTap: save }],
  })
}

const tellTaken = (ctx) => { ctx.toast(ctx.t("That name is taken", "名称已存在")); return false }

function askRename(ctx, item) {
  askName(ctx, {
    title: ctx.t("Rename", "重命名"), value: item.name, ok: ctx.t("Rename", "重命名"),
    onName: (name) => {
      if (isTaken(ctx, item.parent, name, item)) return tellTaken(ctx)
      const from = pathOf(item)
      relocate(ctx, item, item.parent, name)
      if (item.type !== "folder") item.type = typeOf(name)
      ctx.log(`file_renamed from=${quote(from)} to=${quote(pathOf(item))}`)
      ctx.ui.selected = []
      ctx.redraw()
    },
  })
}

function askNewFolder(ctx, parent) {
  askName(ctx, {
    title: ctx.t("New folder", "新建文件夹"), value: "", ok: ctx.t("Create", "创建"),
    onName: (name) => {
      if (isTaken(ctx, parent, name)) return tellTaken(ctx)
      const item = { id: nextId(ctx), name, parent, type: "folder", size: 0, modified: ctx.now(), trashed: false }
      ctx.state.items.push(item)
      ctx.log(`folder_created path=${quote(pathOf(item))}`)
      ctx.redraw()
    },
  })
}

function askNewText(ctx, parent) {
  askName(ctx, {
    title: ctx.t("New text file", "新建文本文件"), value: ctx.t("note.txt", "笔记.txt"), ok: ctx.t("Create", "创建"),
    onName: (name) => {
      if (isTaken(ctx, parent, name)) return tellTaken(ctx)
      const item = { id: nextId(ctx), name, parent, type: typeOf(name), size: 0, modified: ctx.now(), content: "", trashed: false }
      ctx.state.items.push(item)
      ctx.log(`file_created path=${quote(pathOf(item))}`)
      if (item.type === "text") ctx.go("edit", { id: item.id })
      else ctx.redraw()
    },
  })
}

function askDelete(ctx, items) {
  ctx.dialog({
    title: items.length === 1 ? ctx.t(`Delete ${items[0].name}?`, `删除 ${items[0].name}？`) : ctx.t(`Delete ${items.length} items?`, `删除 ${items.length} 项？`),
    body: ctx.t("You can restore it from the trash.", "可以从回收站恢复。"),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, {
      text: ctx.t("Delete", "删除"), id: "ok", primary: true, danger: true,
      onTap: () => {
        for (const item of items) trashItem(ctx, item)
        ctx.ui.selected = []
        ctx.toast(ctx.t("Moved to trash", "已移到回收站"))
      },
    }],
  })
}

function showDetails(ctx, item) {
  const inside = item.type === "folder" ? alive(ctx).filter((other) => isUnder(other, pathOf(item)) && other.type !== "folder") : []
  const size = item.type === "folder" ? inside.reduce((sum, other) => sum + other.size, 0) : item.size
  const fact = (id, en, zh, value) => row({ id, title: value, subtitle: ctx.t(en, zh) })
  ctx.dialog({
    title: ctx.t("Details", "详情"),
    body: h("div", {},
      fact("detail_name", "Name", "名称", item.name), fact("detail_folder", "Folder", "所在文件夹", item.parent || rootName(ctx)), fact("detail_type", "Type", "类型", ctx.t(...typeNames[item.type])),
      fact("detail_size", "Size", "大小", sizeText(size)), fact("detail_modified", "Modified", "修改时间", `${ctx.date(item.modified)} ${ctx.time(item.modified)}`),
      item.type === "folder" ? fact("detail_count", "Files", "文件数", String(inside.length)) : null),
    buttons: [{ text: ctx.t("Close", "关闭"), id: "close", primary: true }],
  })
}

function itemMenu(ctx, item) {
  ctx.menu([
    { text: ctx.t("Open", "打开"), id: "open", glyph: glyphs.arrowRight, onTap: () => openItem(ctx, item) },
    { text: ctx.t("Rename", "重命名"), id: "rename", glyph: glyphs.edit, onTap: () => askRename(ctx, item) },
    { text: ctx.t("Move to…", "移动到…"), id: "move", glyph: glyphs.move, onTap: () => ctx.go("pick", { ids: [item.id], mode: "move" }) },
    { text: ctx.t("Copy to…", "复制到…"), id: "copy", glyph: glyphs.copy, onTap: () => ctx.go("pick", { ids: [item.id], mode: "copy" }) },
    { text: ctx.t("Details", "详情"), id: "details", glyph: glyphs.info, onTap: () => showDetails(ctx, item) },
    { text: ctx.t("Delete", "删除"), id: "delete", glyph: glyphs.delete, danger: true, onTap: () => askDelete(ctx, [item]) },
  ])
}

function openItem(ctx, item) {
  ctx.log(`file_opened path=${quote(pathOf(item))}`)
  if (item.type === "folder") ctx.go("browse", { folder: pathOf(item) })
  else if (item.type === "text" || item.type === "image") ctx.go("view", { id: item.id })
  else showDetails(ctx, item)
}

function face(item) {
  const background = item.type === "image" ? thumbnail(item.id) : typeColors[item.type]
  return h("span", { class: "avatar square", style: { background } }, item.type === "image" ? null : icon(typeGlyphs[item.type], { size: 22 }))
}

function itemNote(ctx, item, withFolder) {
  const when = ctx.date(item.modified)
  if (withFolder) return `${item.parent || rootName(ctx)}${item.type === "folder" ? "" : ` · ${sizeText(item.size)}`}`
  return item.type === "folder" ? when : `${sizeText(item.size)} · ${when}`
}

/** Rows of items that open on a tap, and are selected by a long press. */
function itemList(ctx, { id, items, header, withFolder, emptyText }) {
  const selected = (ctx.ui.selected ??= [])
  const flip = (item) => {
    ctx.ui.selected = selected.includes(item.id) ? selected.filter((one) => one !== item.id) : [...selected, item.id]
    ctx.redraw()
  }
  const selecting = selected.length > 0
  return list({
    id, items, rowHeight: 64, header, empty: emptyText ?? ctx.t("This folder is empty", "此文件夹为空"),
    row: (item) => row({
      id: item.type === "folder" ? "folder" : "file", avatar: face(item), title: item.name, subtitle: itemNote(ctx, item, withFolder), selected: selecting ? selected.includes(item.id) : undefined,
      onTap: () => (selecting ? flip(item) : openItem(ctx, item)), onLongPress: () => flip(item),
      trailing: selecting ? undefined : iconButton({ id: "item_menu", glyph: glyphs.more, label: ctx.t(`More for ${item.name}`, `${item.name} 的更多操作`), onTap: () => itemMenu(ctx, item), size: 20 }),
    }),
  })
}

function selectionBar(ctx, shownItems) {
  const items = ctx.state.items.filter((item) => ctx.ui.selected.includes(item.id))
  const ids = items.map((item) => item.id)
  const act = (id, glyph, en, zh, onTap) => iconButton({ id, glyph, label: ctx.t(en, zh), onTap })
  const pick = (mode) => () => { ctx.ui.selected = []; ctx.go("pick", { ids, mode }) }
  const more = () => ctx.menu([
    { text: ctx.t("Select all", "全选"), id: "select_all", glyph: glyphs.check, onTap: () => { ctx.ui.selected = shownItems.map((item) => item.id); ctx.redraw() } },
    items.length === 1 ? { text: ctx.t("Rename", "重命名"), id: "rename", glyph: glyphs.edit, onTap: () => askRename(ctx, items[0]) } : null,
    items.length === 1 ? { text: ctx.t("Details", "详情"), id: "details", glyph: glyphs.info, onTap: () => showDetails(ctx, items[0]) } : null,
  ].filter(Boolean))
  return {
    title: ctx.t(`${ids.length} selected`, `已选择 ${ids.length} 项`),
    back: true,
    onBack: () => { ctx.ui.selected = []; return true },
    actions: [
      act("move", glyphs.move, "Move", "移动", pick("move")), act("copy", glyphs.copy, "Copy", "复制", pick("copy")),
      act("delete", glyphs.delete, "Delete", "删除", () => askDelete(ctx, items)), act("more", glyphs.more, "More", "更多", more),
    ],
  }
}

function sortMenu(ctx) {
  ctx.menu(Object.entries(sorts).map(([id, names]) => ({
    text: ctx.t(...names), id: `sort_${id}`, checked: ctx.state.sort === id,
    onTap: () => { ctx.state.sort = id; ctx.log(`sort_changed value=${id}`); ctx.redraw() },
  })))
}

function storageCard(ctx) {
  const used = ctx.state.items.reduce((sum, item) => sum + item.size, 0) + ctx.state.other_bytes
  return card({ id: "storage" }, h("div", { class: "spread" }, h("b", {}, rootName(ctx)), h("span", { class: "muted" }, ctx.t(`${sizeText(used)} of ${sizeText(ctx.state.total_bytes)}`, `已用 ${sizeText(used)} / ${sizeText(ctx.state.total_bytes)}`))),
    h("div", { class: "meter", style: { margin: "10px 0 2px" } }, h("span", { style: { width: `${(used / ctx.state.total_bytes) * 100}%` } })))
}

function browseScreen(ctx, { folder = "" }) {
  const items = sorted(ctx, alive(ctx).filter((item) => item.parent === folder))
  const kindChip = (type) => chip({ id: `kind_${type}`, text: ctx.t(...typeNames[type]), glyph: typeGlyphs[type], onTap: () => ctx.go("kind", { type }) })
  const header = folder
    ? text(`${rootName(ctx)} / ${folder.replaceAll("/", " / ")}`, { id: "path", size: 13, color: "var(--muted)" })
    : h("div", {}, storageCard(ctx), chips("kinds", ["image", "video", "audio", "text", "pdf", "archive"].map(kindChip)))
  const body = itemList(ctx, { id: "files", items, header })
  if (ctx.ui.selected.length > 0) return { ...selectionBar(ctx, items), body }
  const more = () => ctx.menu([
    { text: ctx.t("New folder", "新建文件夹"), id: "new_folder", glyph: glyphs.newFolder, onTap: () => askNewFolder(ctx, folder) },
    { text: ctx.t("New text file", "新建文本文件"), id: "new_text", glyph: glyphs.document, onTap: () => askNewText(ctx, folder) },
    { text: ctx.t("Trash", "回收站"), id: "trash", glyph: glyphs.delete, onTap: () => ctx.go("trash") },
  ])
  return {
    title: folder ? shortName(ctx, folder) : ctx.t("Files", "文件"),
    actions: [
      iconButton({ id: "search", glyph: glyphs.search, label: ctx.t("Search", "搜索"), onTap: () => ctx.go("search", { folder }) }),
      iconButton({ id: "sort", glyph: glyphs.sort, label: ctx.t("Sort", "排序"), onTap: () => sortMenu(ctx) }),
      iconButton({ id: "more", glyph: glyphs.more, label: ctx.t("More", "更多"), onTap: more }),
    ],
    body, fab: fab({ id: "add", glyph: glyphs.add, label: ctx.t("New folder", "新建文件夹"), onTap: () => askNewFolder(ctx, folder) }),
  }
}

function kindScreen(ctx, { type }) {
  const items = sorted(ctx, alive(ctx).filter((item) => item.type === type))
  const body = itemList(ctx, { id: "files", items, withFolder: true, emptyText: ctx.t("No files", "没有文件") })
  if (ctx.ui.selected.length > 0) return { ...selectionBar(ctx, items), body }
  return { title: ctx.t(...typeNames[type]), actions: iconButton({ id: "sort", glyph: glyphs.sort, label: ctx.t("Sort", "排序"), onTap: () => sortMenu(ctx) }), body }
}

function searchScreen(ctx, { folder }) {
  ctx.ui.search ??= ""
  const needle = ctx.ui.search.trim().toLowerCase()
  const items = needle ? sorted(ctx, alive(ctx).filter((item) => (!folder || isUnder(item, folder)) && item.name.toLowerCase().includes(needle))) : []
  const body = itemList(ctx, { id: "results", items, withFolder: true, emptyText: needle ? ctx.t("No files found", "未找到文件") : ctx.t("Type a file name", "请输入文件名") })
  if (ctx.ui.selected.length > 0) return { ...selectionBar(ctx, items), body }
  const title = field({ id: "search_field", type: "search", placeholder: ctx.t(`Search ${shortName(ctx, folder)}`, `搜索${shortName(ctx, folder)}`), value: ctx.ui.search, autofocus: true, onInput: (value) => { ctx.ui.search = value; ctx.redraw() } })
  return { title, body }
}

function viewScreen(ctx, { id }) {
  const item = ctx.state.items.find((one) => one.id === id)
  const actions = [
    item.type === "text" ? iconButton({ id: "edit", glyph: glyphs.edit, label: ctx.t("Edit", "编辑"), onTap: () => ctx.go("edit", { id }) }) : null,
    iconButton({ id: "details", glyph: glyphs.info, label: ctx.t("Details", "详情"), onTap: () => showDetails(ctx, item) }),
  ]
  const body = item.type === "image"
    ? h("div", { class: "viewer" }, picture(pictureMarkup(item.id), { label: item.name }))
    : scroll({ id: "text" }, text(item.content, { id: "content", size: 16, class: "pre" }))
  return { title: item.name, actions, body }
}

function editScreen(ctx, { id }) {
  const item = ctx.state.items.find((one) => one.id === id)
  ctx.ui.draft ??= item.content
  const save = () => {
    Object.assign(item, { content: ctx.ui.draft, size: new TextEncoder().encode(ctx.ui.draft).length, modified: ctx.now() })
    ctx.log(`file_saved path=${quote(pathOf(item))} size=${item.size}`)
    ctx.back()
  }
  return {
    title: item.name,
    actions: iconButton({ id: "save", glyph: glyphs.check, label: ctx.t("Save", "保存"), onTap: save }),
    body: scroll({ id: "editor" }, textArea({ id: "content", label: ctx.t("Text", "文本"), rows: 14, value: ctx.ui.draft, autofocus: true, onInput: (value) => { ctx.ui.draft = value } })),
  }
}

function pickScreen(ctx, { ids, mode }) {
  const moved = ctx.state.items.filter((item) => ids.includes(item.id))
  const folder = (ctx.ui.folder ??= "")
  const up = folder.includes("/") ? folder.slice(0, folder.lastIndexOf("/")) : ""
  const enter = (path) => { ctx.ui.folder = path; ctx.redraw() }
  const intoItself = (path) => moved.some((item) => item.type === "folder" && (path === pathOf(item) || path.startsWith(`${pathOf(item)}/`)))
  const items = sorted(ctx, alive(ctx).filter((item) => item.type === "folder" && item.parent === folder && !intoItself(pathOf(item))))
  const finish = () => {
    for (const item of moved) (mode === "move" ? moveItem : copyItem)(ctx, item, folder)
    ctx.back()
    ctx.toast(mode === "move" ? ctx.t(`Moved to ${shortName(ctx, folder)}`, `已移动到${shortName(ctx, folder)}`) : ctx.t(`Copied to ${shortName(ctx, folder)}`, `已复制到${shortName(ctx, folder)}`))
  }
  const nothingMoves = mode === "move" && moved.every((item) => item.parent === folder)
  return {
    title: mode === "move" ? ctx.t("Move to", "移动到") : ctx.t("Copy to", "复制到"),
    actions: iconButton({ id: "new_folder", glyph: glyphs.newFolder, label: ctx.t("New folder", "新建文件夹"), onTap: () => askNewFolder(ctx, folder) }),
    onBack: folder ? () => { enter(up); return true } : undefined,
    body: column(
      text(folder ? `${rootName(ctx)} / ${folder.replaceAll("/", " / ")}` : rootName(ctx), { id: "path", size: 13, color: "var(--muted)" }),
      list({ id: "folders", items, rowHeight: 60, empty: ctx.t("No folders here", "此处没有文件夹"), row: (item) => row({ id: "pick_folder", avatar: face(item), title: item.name, onTap: () => enter(pathOf(item)) }) }),
      h("div", { class: "bottom-bar" },
        button({ id: "pick_cancel", text: ctx.t("Cancel", "取消"), onTap: ctx.back }),
        button({ id: "pick_here", text: mode === "move" ? ctx.t("Move here", "移动到此处") : ctx.t("Copy here", "复制到此处"), primary: true, disabled: nothingMoves, onTap: finish }))),
  }
}

function trashScreen(ctx) {
  const trashed = ctx.state.items.filter((item) => item.trashed)
  // What a deleted folder held shows only as that folder.
  const items = sorted(ctx, trashed.filter((item) => !trashed.some((other) => other.type === "folder" && isUnder(item, pathOf(other)))))
  const remove = (gone) => {
    const paths = gone.filter((item) => item.type === "folder").map(pathOf)
    ctx.state.items = ctx.state.items.filter((item) => !gone.includes(item) && !(item.trashed && paths.some((path) => isUnder(item, path))))
  }
  const menu = (item) => ctx.menu([
    { text: ctx.t("Restore", "恢复"), id: "restore", glyph: glyphs.restore, onTap: () => { restoreItem(ctx, item); ctx.redraw() } },
    { text: ctx.t("Delete forever", "彻底删除"), id: "delete_forever", glyph: glyphs.delete, danger: true, onTap: () => { ctx.log(`file_erased path=${quote(pathOf(item))}`); remove([item]); ctx.redraw() } },
  ])
  const emptyAll = () => ctx.dialog({
    title: ctx.t("Empty trash?", "清空回收站？"), body: ctx.t("These files cannot be restored.", "这些文件将无法恢复。"),
    buttons: [{ text: ctx.t("Cancel", "取消"), id: "cancel" }, { text: ctx.t("Empty", "清空"), id: "ok", primary: true, danger: true, onTap: () => { ctx.log(`trash_emptied count=${items.length}`); remove(items) } }],
  })
  return {
    title: ctx.t("Trash", "回收站"),
    actions: items.length ? iconButton({ id: "empty_trash", glyph: glyphs.delete, label: ctx.t("Empty trash", "清空回收站"), onTap: emptyAll }) : null,
    body: list({
      id: "trash", items, rowHeight: 64, empty: ctx.t("Trash is empty", "回收站为空"),
      row: (item) => row({ id: "trash_item", avatar: face(item), title: item.name, subtitle: item.parent || rootName(ctx), onTap: () => menu(item), trailing: iconButton({ id: "restore_item", glyph: glyphs.restore, label: ctx.t(`Restore ${item.name}`, `恢复 ${item.name}`), size: 20, onTap: () => { restoreItem(ctx, item); ctx.redraw() } }) }),
    }),
  }
}

export default {
  id: "files",
  package: "org.tapwright.files",
  name: { en: "Files", zh: "文件" },
  color: "#00796b",
  glyph: glyphs.folder,
  seed: seedFiles,
  home: "browse",
  screens: { browse: browseScreen, kind: kindScreen, search: searchScreen, view: viewScreen, edit: editScreen, pick: pickScreen, trash: trashScreen },
}
