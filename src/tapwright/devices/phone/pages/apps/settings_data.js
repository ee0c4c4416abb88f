/** The seeded phone: its networks, devices, sounds, accounts and installed apps. */

import { person } from "../names.js"
import { seedPermissions } from "../permissions.js"

export const ringtones = {
  en: `Aurora,Beacon,Breeze,Cascade,Chime,Cobalt,Comet,Coral,Dawn,Drift,Echo,Ember,Fjord,Glade,Glow,Harbor,Horizon,Ivory,Jasper,Kite,Lagoon,
Lantern,Maple,Meadow,Mist,Nova,Orbit,Pebble,Pine,Prism,Quartz,Ripple,River,Sierra,Signal,Summit,Tide,Twilight,Velvet,Willow,Zephyr`.split(/,\s*/),
  zh: `极光,灯塔,微风,瀑布,风铃,钴蓝,彗星,珊瑚,黎明,漂流,回声,余烬,峡湾,林间,微光,港湾,地平线,象牙,碧玉,风筝,泻湖,灯笼,枫叶,草地,薄雾,新星,轨道,卵石,
松林,棱镜,石英,涟漪,河流,山脊,信号,山顶,潮汐,暮光,丝绒,柳树,和风`.split(/,\s*/),
}

const networkNames = {
  en: `Home,Home-5G,Cafe Aroma,Blue Harbor Guest,Library,Airport Free,Maple Street 12,Sunflower,Router-7F21,Office-Main,Office-Guest,Northwind,
Harbor Clinic,Green House,Studio 4,Kitchen Net,Tower B,Garden Wi-Fi,Hotel Lumen,Meeting Room 3,Bookshop,Station Hall,Gym Center,Penguin,Moonlight,
Apartment 5C,Neighbour,TP-2G-88,Printer Direct,Bakery,River Walk,School Lab,Cinema Lobby,Taxi 219`,
  zh: `家里,家里-5G,香气咖啡,蓝港访客,图书馆,机场免费,枫叶街12号,向日葵,路由器-7F21,办公室,办公室访客,北风实验室,海湾诊所,绿房子,四号工作室,
厨房网络,B座,花园无线,流明酒店,会议室3,书店,车站大厅,健身中心,企鹅,月光,五楼C室,邻居,TP-2G-88,打印机直连,面包房,滨江步道,学校机房,影院大堂,出租车219`,
}

const devices = {
  en: [["Kitchen Speaker", "speaker"], ["Pebble Earbuds", "headphones"], ["Car Audio", "speaker"], ["Orbit Watch", "watch"], ["Desk Keyboard", "keyboard"],
    ["Living Room TV", "display"], ["Cobalt Headphones", "headphones"], ["Fitness Band", "watch"], ["Office Printer", "printer"], ["Game Pad", "keyboard"],
    ["Bath Speaker", "speaker"], ["Meeting Room Screen", "display"]],
  zh: [["厨房音箱", "speaker"], ["卵石耳机", "headphones"], ["车载音响", "speaker"], ["轨道手表", "watch"], ["桌面键盘", "keyboard"], ["客厅电视", "display"],
    ["钴蓝头戴耳机", "headphones"], ["运动手环", "watch"], ["办公室打印机", "printer"], ["游戏手柄", "keyboard"], ["浴室音箱", "speaker"], ["会议室屏幕", "display"]],
}

const phoneApps = [["contacts", "Contacts", "联系人"], ["mail", "Mail", "邮件"], ["calendar", "Calendar", "日历"], ["clock", "Clock", "时钟"],
  ["notes", "Notes", "笔记"], ["files", "Files", "文件"], ["shop", "Shop", "商店"], ["settings", "Settings", "设置"]]

const brands = { en: "Acorn,Bright,Cedar,Daily,Easy,Fable,Happy,Indigo,Jolly,Little,Nimbus,Open,Pixel,Quick,Smart".split(","), zh: "橡果,明亮,雪松,每日,轻松,童话,快乐,靛蓝,乐乐,小小,雨云,开放,像素,快捷,智慧".split(",") }
const kinds = {
  en: "Maps,Music,Weather,Chat,Photos,Recipes,Fitness,Bank,Radio,Puzzle,Reader,Translate,Travel,Scanner,News,Podcasts".split(","),
  zh: "地图,音乐,天气,聊天,相册,菜谱,健身,银行,电台,拼图,阅读,翻译,旅行,扫描,新闻,播客".split(","),
}

export const permissionNames = ["camera", "microphone", "location", "contacts", "storage"]

function seedApps(random, language) {
  const own = phoneApps.map(([id, en, zh]) => ({ name: language === "zh" ? zh : en, package: `org.tapwright.${id}`, system: true }))
  const pairs = brands.en.flatMap((_, brand) => kinds.en.map((_, kind) => [brand, kind]))
  const others = random.sample(pairs, 120).map(([brand, kind]) => ({
    name: `${brands[language][brand]}${language === "zh" ? "" : " "}${kinds[language][kind]}`,
    package: `com.${brands.en[brand]}.${kinds.en[kind]}`.toLowerCase(),
    system: false,
  }))
  return [...own, ...others]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((app, index) => ({
      id: index + 1,
      ...app,
      size_mb: random.int(8, 320),
      cache_mb: random.int(1, 90),
      data_mb: random.int(0, 150),
      notifications: random.chance(0.7),
      running: random.chance(0.3),
      permissions: Object.fromEntries(permissionNames.map((name) => [name, random.chance(0.35)])),
    }))
}

function seedNetworks(random, language) {
  return networkNames[language].split(/,\s*/).map((ssid, index) => {
    const secured = index < 2 || random.chance(0.75)
    return {
      ssid,
      strength: index < 2 ? 4 : random.int(1, 4),
      secured,
      saved: index < 2 || (secured && random.chance(0.12)),
      password: secured ? `${random.pick(["maple", "river", "cloud", "tiger", "piano", "lemon"])}-${random.int(1000, 9999)}` : "",
    }
  })
}

function seedAccounts(random, language) {
  const owner = person(random, language)
  const work = owner.email.replace(/@.*/, "@northwind.example")
  return [
    { id: 1, kind: "personal", address: owner.email, sync: true },
    { id: 2, kind: "work", address: work, sync: true },
    { id: 3, kind: "cloud", address: owner.email.replace(/@.*/, "@cloud.example"), sync: false },
  ]
}

export function seedSettings(random, language) {
  const wifiNetworks = seedNetworks(random, language)
  return {
    wifi: true,
    wifi_network: wifiNetworks[0].ssid,
    wifi_networks: wifiNetworks,
    bluetooth: false,
    bluetooth_devices: devices[language].map(([name, kind], index) => ({ id: index + 1, name, kind, paired: index < 4, connected: false })),
    airplane_mode: false,
    mobile_data: true,
    roaming: false,
    data_saver: false,
    nfc: true,
    hotspot: false,
    hotspot_name: language === "zh" ? "我的热点" : "My hotspot",
    hotspot_password: `phone-${random.int(1000, 9999)}`,
    brightness: 60,
    adaptive_brightness: true,
    dark_theme: false,
    font_size: "default",
    screen_timeout_s: 60,
    auto_rotate: false,
    night_light: false,
    ring_volume: 9,
    media_volume: 6,
    alarm_volume: 11,
    notification_volume: 8,
    vibrate: false,
    do_not_disturb: false,
    touch_sounds: true,
    ringtone: ringtones[language][0],
    notification_sound: ringtones[language][20],
    notification_dots: true,
    notification_history: false,
    apps: seedApps(random, language),
    battery_percent: 82,
    battery_saver: false,
    adaptive_battery: true,
    battery_saver_below: 15,
    storage_total_gb: 128,
    storage_used_gb: 71,
    storage_saver: false,
    location: true,
    location_scanning: true,
    emergency_location: true,
    screen_lock: "none",
    pin: "",
    lock_screen_notifications: true,
    unknown_sources: false,
    find_my_device: true,
    accounts: seedAccounts(random, language),
    language,
    automatic_time: true,
    use_24_hour: true,
    time_zone: "UTC",
    device_name: language === "zh" ? "我的手机" : "My phone",
    build_number: "TW1A.260314.001",
    developer_options: false,
    stay_awake: false,
    usb_debugging: false,
    permissions: seedPermissions(),
  }
}
