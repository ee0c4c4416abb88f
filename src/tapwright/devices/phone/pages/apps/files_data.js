/** The seeded storage: a folder tree with some 450 files, and the pictures drawn for image files. */

import { person, words } from "../names.js"

/** Folders as paths; a folder's parent comes before it. */
const folders = {
  en: ["Download", "Documents", "Documents/Work", "Documents/Work/Reports", "Documents/Work/Invoices", "Documents/Personal", "Documents/Personal/Recipes", "Documents/Personal/Travel",
    "Documents/Personal/Letters", "Documents/School", "Pictures", "Pictures/Camera", "Pictures/Screenshots", "Pictures/Holiday", "Pictures/Family", "Music", "Music/Quiet Rivers",
    "Music/City Lights", "Music/Morning Tea", "Movies", "Podcasts", "Backups"],
  zh: ["下载", "文档", "文档/工作", "文档/工作/报告", "文档/工作/发票", "文档/个人", "文档/个人/菜谱", "文档/个人/旅行", "文档/个人/信件", "文档/学校", "图片", "图片/相机", "图片/截图",
    "图片/假期", "图片/家人", "音乐", "音乐/静静的河", "音乐/城市灯火", "音乐/清晨的茶", "影片", "播客", "备份"],
}

const recipes = {
  en: "Tomato soup,Apple pie,Lentil stew,Pancakes,Lemon cake,Fried rice,Potato salad,Mushroom risotto,Banana bread,Fish curry,Bean chili,Oat cookies,Pumpkin soup,Garlic noodles".split(","),
  zh: "番茄汤,苹果派,扁豆炖菜,松饼,柠檬蛋糕,炒饭,土豆沙拉,蘑菇烩饭,香蕉面包,咖喱鱼,辣豆酱,燕麦饼干,南瓜汤,蒜香面".split(","),
}
const subjects = {
  en: "Algebra,Biology,Chemistry,Drawing,Geography,History,Literature,Physics,Spelling,Statistics".split(","),
  zh: "代数,生物,化学,绘画,地理,历史,文学,物理,听写,统计".split(","),
}
const songs = {
  en: "First Light,Slow Train,Paper Boats,Window Seat,Copper Rain,Small Hours,Lanterns,Northern Road,Harbor Bells,Old Photograph,Quiet Street,Summer Again".split(","),
  zh: "第一缕光,慢火车,纸船,靠窗座位,铜色的雨,凌晨,灯笼,北方的路,港湾钟声,旧照片,安静的街,又是夏天".split(","),
}
const months = { en: "January,February,March,April,May,June,July,August,September,October,November,December".split(","), zh: "一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月".split(",") }

const sentences = {
  en: ["The first draft is ready and waits for comments.", "Please bring the printed copy on Thursday.", "Costs stayed below the plan for the third month in a row.", "We still need two more chairs and a longer table.",
    "The train leaves at a quarter past nine from platform four.", "Stir slowly and let it rest for ten minutes.", "The garden needs water twice a week in summer.", "Ask the office for a new badge before Friday.",
    "Everything else can wait until the end of the month.", "The window in the kitchen does not close well.", "Remember to send the photos to everyone who came.", "Sales grew most in the small shops by the river."],
  zh: ["初稿已经完成，等待大家的意见。", "请在星期四带上打印好的文件。", "费用连续第三个月低于计划。", "我们还需要两把椅子和一张更长的桌子。", "火车九点一刻从四号站台出发。", "慢慢搅拌，然后静置十分钟。",
    "夏天花园每周需要浇两次水。", "请在星期五之前向办公室申请新的工牌。", "其他事情可以等到月底再说。", "厨房的窗户关不严。", "记得把照片发给所有来过的人。", "河边小店的销售增长最多。"],
}

const sizes = { text: [400, 9000], image: [900e3, 6e6], audio: [3e6, 9e6], video: [30e6, 600e6], pdf: [80e3, 4e6], sheet: [12e3, 300e3], archive: [2e6, 90e6], app: [5e6, 80e6] }
const extensions = { txt: "text", md: "text", jpg: "image", png: "image", mp3: "audio", mp4: "video", pdf: "pdf", xlsx: "sheet", zip: "archive", apk: "app" }

/** A file's type by its name's ending; unknown endings are "file". */
export const typeOf = (name) => extensions[name.split(".").at(-1).toLowerCase()] ?? "file"

const two = (value) => String(value).padStart(2, "0")
const stamp = (ms) => {
  const d = new Date(ms)
  return `${d.getUTCFullYear()}${two(d.getUTCMonth() + 1)}${two(d.getUTCDate())}_${two(d.getUTCHours())}${two(d.getUTCMinutes())}${two(d.getUTCSeconds())}`
}

export function seedFiles(random, language, now) {
  const paths = folders[language]
  const at = (path) => paths[folders.en.indexOf(path)]
  const zh = language === "zh"
  const year = 365 * 86400000
  const items = []
  const used = new Set()
  const put = (parent, name, extra) => {
    let free = name
    for (let copy = 2; used.has(`${parent}/${free}`); copy++) free = name.replace(/(\.[^.]*)?$/, ` (${copy})$1`)
    used.add(`${parent}/${free}`)
    items.push({ id: items.length + 1, name: free, parent, ...extra, trashed: false })
  }
  const file = (path, name, when = random.date(now - 2 * year, now)) => {
    const type = typeOf(name)
    const content = type === "text" ? body(random, language, name) : undefined
    put(at(path), name, { type, size: content ? new TextEncoder().encode(content).length : random.int(...(sizes[type] ?? [1000, 1e6])), modified: when, content })
  }
  for (const path of paths) {
    const cut = path.lastIndexOf("/")
    put(cut < 0 ? "" : path.slice(0, cut), path.slice(cut + 1), { type: "folder", size: 0, modified: random.date(now - 2 * year, now) })
  }
  const noun = () => random.pick(words[language].nouns)
  const title = () => (zh ? `${random.pick(words.zh.adjectives)}${noun()}` : `${random.pick(words.en.adjectives)} ${noun()}`)
  const capital = (text) => text[0].toUpperCase() + text.slice(1)
  const phrase = () => capital(title())

  for (let i = 0; i < 46; i++) file("Download", `${phrase()}.${random.pick(["pdf", "zip", "apk", "jpg", "txt", "mp3"])}`)
  for (const [index, month] of months[language].entries()) {
    file("Documents/Work/Reports", zh ? `${month}报告.txt` : `Report ${month}.txt`, Date.UTC(2025, index, 28, 16, 0))
    file("Documents/Work/Reports", zh ? `${month}数据.xlsx` : `Figures ${month}.xlsx`, Date.UTC(2025, index, 27, 11, 30))
  }
  for (let i = 0; i < 30; i++) file("Documents/Work/Invoices", `${zh ? "发票" : "Invoice"} ${1040 + i}.pdf`)
  for (let i = 0; i < 24; i++) file("Documents/Work", `${phrase()}.${random.pick(["txt", "pdf", "xlsx"])}`)
  for (const name of recipes[language]) file("Documents/Personal/Recipes", `${name}.txt`)
  for (const city of words[language].cities.slice(0, 14)) file("Documents/Personal/Travel", zh ? `${city}行程.txt` : `${city} itinerary.txt`)
  for (let i = 0; i < 12; i++) file("Documents/Personal/Letters", zh ? `致${person(random, language).name}的信.txt` : `Letter to ${person(random, language).first}.txt`)
  for (let i = 0; i < 12; i++) file("Documents/Personal", `${phrase()}.${random.pick(["txt", "pdf"])}`)
  for (const subject of subjects[language]) for (const part of [1, 2]) file("Documents/School", zh ? `${subject}笔记${part}.txt` : `${subject} notes ${part}.txt`)
  const shots = [["Pictures/Camera", "IMG_", 90, "jpg"], ["Pictures/Screenshots", "Screenshot_", 40, "png"], ["Pictures/Family", "IMG_", 22, "jpg"]]
  for (const [path, prefix, count, ending] of shots) {
    for (let i = 0; i < count; i++) {
      const when = random.date(now - year, now)
      file(path, `${prefix}${stamp(when)}.${ending}`, when)
    }
  }
  for (let i = 0; i < 24; i++) file("Pictures/Holiday", `${random.pick(words[language].cities)} ${i + 1}.jpg`)
  for (const album of ["Music/Quiet Rivers", "Music/City Lights", "Music/Morning Tea"]) for (const [index, song] of random.shuffle(songs[language]).entries()) file(album, `${two(index + 1)} ${song}.mp3`)
  for (let i = 0; i < 10; i++) file("Movies", `${phrase()}.mp4`)
  for (let i = 0; i < 14; i++) file("Podcasts", zh ? `第${i + 1}期 ${noun()}.mp3` : `Episode ${i + 1} ${noun()}.mp3`)
  for (let i = 0; i < 8; i++) file("Backups", `${zh ? "备份" : "backup"}_${stamp(random.date(now - year, now)).slice(0, 8)}.zip`)
  for (const item of random.sample(items.filter((one) => one.type !== "folder" && one.parent === at("Download")), 6)) item.trashed = true
  return { items, sort: "name", total_bytes: 128e9, other_bytes: 58e9 }
}

function body(random, language, name) {
  const lines = random.sample(sentences[language], random.int(5, 10))
  const title = name.replace(/\.[^.]*$/, "")
  return `${title}\n\n${lines.slice(0, 4).join(language === "zh" ? "" : " ")}\n\n${lines.slice(4).join(language === "zh" ? "" : " ")}`
}

const palettes = [["#8ec5e8", "#f6d365", "#4c8c4a", "#2e5d34"], ["#f7b267", "#f25c54", "#7d4e57", "#3c2f41"], ["#a1c4fd", "#ffffff", "#5f7fa8", "#2f4b6e"],
  ["#fbc2eb", "#fff1b8", "#a18cd1", "#5b4a8a"], ["#cdeac0", "#ff928b", "#588157", "#344e41"], ["#22335c", "#f5f3ce", "#14213d", "#0b132b"]]

const paletteOf = (id) => palettes[(id * 7) % palettes.length]

/** A small stand-in for a picture, in its colours. */
export const thumbnail = (id) => { const [sky, sun, far, near] = paletteOf(id); return `radial-gradient(circle at 70% 30%, ${sun} 0 5px, transparent 5.5px), linear-gradient(${sky} 0 50%, ${far} 50% 70%, ${near} 70%)` }

/** The picture in an image file: one of four scenes, in the file's colours. */
export function pictureMarkup(id) {
  const [sky, sun, far, near] = paletteOf(id)
  const x = 60 + ((id * 53) % 280)
  const scenes = [
    `<path d="M0 240L90 130L170 215L260 105L400 240V300H0z" fill="${far}"/><path d="M0 270Q110 215 220 262T400 250V300H0z" fill="${near}"/>`,
    `<path d="M0 190H400V300H0z" fill="${far}"/><path d="M0 262Q200 236 400 268V300H0z" fill="${near}"/><path d="M${x} 150l34 46h-68z" fill="#fff"/><path d="M${x - 40} 200h84l-16 22h-52z" fill="${near}"/>`,
    Array.from({ length: 9 }, (_, i) => { const height = 60 + ((id * 31 + i * 47) % 110); return `<path d="M${i * 45} ${270 - height}h40v${height}h-40z" fill="${i % 2 ? far : near}"/>` }).join("") + `<path d="M0 268H400V300H0z" fill="${near}"/>`,
    `<path d="M0 230Q200 200 400 232V300H0z" fill="${near}"/><path d="M${x} 240v-100" stroke="${near}" stroke-width="10"/><path d="M${x} 56c44 0 66 42 50 76-12 24-88 24-100 0-16-34 6-76 50-76z" fill="${far}"/>`,
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><path d="M0 0H400V300H0z" fill="${sky}"/><circle cx="${400 - x}" cy="70" r="34" fill="${sun}"/>${scenes[id % 4]}</svg>`
}
