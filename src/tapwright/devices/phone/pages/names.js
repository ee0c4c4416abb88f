/** People, cities and words in English and Chinese, for seeding the apps. All invented or generic. */

const firstNames = `Ava Ben Chloe Daniel Ella Felix Grace Henry Iris Jack Kira Leo Maya Noah Olive Peter Quinn Rosa Samuel Tessa
Umar Vera Will Ximena Yara Zane Alice Bruno Carmen David Elena Frank Gina Hugo Ingrid Jonas Karen Lucas Mona Nathan Orla Paul
Rachel Simon Tara Victor Wendy Adam Bianca Colin Diana Ethan Fiona George Hannah Isaac Julia Kevin Laura Marcus Nina Oscar Priya
Ryan Sofia Thomas Ursula Violet Walter Yusuf Zoe Amir Beth Carlos Dora Emil Freya Gavin Helen Ivan Jenny Kofi Lena Martin Nora`
  .split(/\s+/)
const lastNames = `Adams Baker Carter Dalton Ellis Foster Graham Harper Ingram Jensen Keller Lawson Mason Nolan Osborne Parker Quigley
Reed Sawyer Turner Underwood Vargas Walsh Young Zimmer Abbott Bishop Coleman Drake Everett Fisher Garcia Hughes Irwin Jordan Khan
Lopez Moreno Nguyen Ortega Patel Romero Schmidt Tanaka Ueda Volkov Weber Yamada Zhou Andersen Bell Cooper Dixon Evans Fleming Gibson
Hayes Ibrahim Joshi Kim Larsen Mills Norris Owens Price Russell Stone Thorne Vance Wright York`.split(/\s+/)

const pinyinPairs = (text) => text.trim().split(/\s+/).map((pair) => pair.split(":"))
const surnames = pinyinPairs(`王:wang 李:li 张:zhang 刘:liu 陈:chen 杨:yang 黄:huang 赵:zhao 周:zhou 吴:wu 徐:xu 孙:sun 马:ma 朱:zhu
胡:hu 郭:guo 何:he 林:lin 罗:luo 高:gao 郑:zheng 梁:liang 谢:xie 宋:song 唐:tang 许:xu 韩:han 冯:feng 邓:deng 曹:cao 彭:peng 曾:zeng
萧:xiao 田:tian 董:dong 潘:pan 袁:yuan 蔡:cai 蒋:jiang 余:yu 于:yu 杜:du 叶:ye 程:cheng 魏:wei 苏:su 吕:lv 丁:ding 沈:shen 任:ren`)
const givenNames = pinyinPairs(`伟:wei 芳:fang 娜:na 敏:min 静:jing 强:qiang 磊:lei 洋:yang 勇:yong 艳:yan 杰:jie 娟:juan 涛:tao 明:ming
超:chao 霞:xia 平:ping 刚:gang 桂英:guiying 子涵:zihan 梓萱:zixuan 浩然:haoran 雨桐:yutong 思远:siyuan 欣怡:xinyi 嘉豪:jiahao 晓梅:xiaomei
建国:jianguo 文博:wenbo 若曦:ruoxi 俊熙:junxi 雅琴:yaqin 海燕:haiyan 志强:zhiqiang 美玲:meiling 天宇:tianyu 诗涵:shihan 立军:lijun 春华:chunhua
小龙:xiaolong 佳怡:jiayi 宇航:yuhang 丽华:lihua 振东:zhendong 紫薇:ziwei 一鸣:yiming 清扬:qingyang 书瑶:shuyao 国栋:guodong 慧敏:huimin`)

export const words = {
  en: {
    cities: `Springfield Riverton Fairview Lakeside Oakdale Milford Ashland Clayton Dover Georgetown Hudson Kingston Lexington Madison
Newport Oxford Salem Winchester Bristol Burlington`.split(/\s+/),
    streets: `Maple Oak Cedar Elm Pine Willow Birch Walnut Chestnut Hill Lake River Park Church School Garden Bridge Station Orchard Mill`
      .split(/\s+/),
    companies: ["Northwind Labs", "Blue Harbor", "Cobalt Works", "Greenleaf Foods", "Summit Travel", "Paper Crane", "Bright Path",
      "Iron Gate Bank", "Lumen Studio", "Fern & Moss", "Copper Kettle", "Silverline Rail", "Open Meadow School", "Harbor Clinic",
      "Tideway Press", "Kite Logistics"],
    nouns: `report plan budget recipe photo ticket invoice garden guitar bicycle window kitchen meeting project letter map camera
lamp book coffee market train museum river concert lesson party house paper picnic`.split(/\s+/),
    adjectives: `new old final draft weekly monthly blue green quiet early late small big spare summer winter family office local
shared`.split(/\s+/),
  },
  zh: {
    cities: "北京 上海 广州 深圳 杭州 南京 成都 武汉 西安 重庆 苏州 天津 长沙 青岛 厦门 大连 宁波 郑州 昆明 济南".split(" "),
    streets: "人民路 中山路 解放路 建设路 和平路 文化路 新华路 长江路 黄河路 学院路 花园路 滨江路 朝阳街 幸福街 公园路 胜利路".split(" "),
    companies: ["北风实验室", "蓝港科技", "钴蓝工坊", "绿叶食品", "远山旅行", "纸鹤文化", "明途教育", "铁门银行", "流明设计", "青苔园艺",
      "铜壶咖啡", "银线铁路", "草原小学", "海湾诊所", "潮汐出版社", "风筝物流"],
    nouns: "报告 计划 预算 菜谱 照片 车票 发票 花园 吉他 自行车 窗户 厨房 会议 项目 信件 地图 相机 台灯 书 咖啡 市场 火车 博物馆 音乐会 课程 聚会".split(" "),
    adjectives: "新的 旧的 最终 草稿 每周 每月 蓝色 绿色 安静的 早期 晚间 小型 大型 备用 夏季 冬季 家庭 办公室 本地 共享".split(" "),
  },
}

/** One invented person: {first, last, name, email}; the email's local part is ASCII in both languages. */
export function person(random, language) {
  const domain = random.pick(["example.com", "example.org", "example.net"])
  if (language === "zh") {
    const [last, lastPinyin] = random.pick(surnames)
    const [first, firstPinyin] = random.pick(givenNames)
    return { first, last, name: last + first, email: `${firstPinyin}.${lastPinyin}@${domain}` }
  }
  const first = random.pick(firstNames)
  const last = random.pick(lastNames)
  return { first, last, name: `${first} ${last}`, email: `${first}.${last}@${domain}`.toLowerCase() }
}

/** `count` people with different names. */
export function people(random, language, count) {
  const found = new Map()
  while (found.size < count) {
    const one = person(random, language)
    if (!found.has(one.name)) found.set(one.name, one)
  }
  return [...found.values()]
}

/** A street address on one line, in the order its language writes it. */
export function address(random, language) {
  const { cities, streets } = words[language]
  return language === "zh"
    ? `${random.pick(cities)}市${random.pick(streets)}${random.int(1, 300)}号`
    : `${random.int(1, 300)} ${random.pick(streets)} Street, ${random.pick(cities)}`
}

/** A number that no real subscriber has: 555-01xx in English, the unassigned 100 prefix in Chinese. */
export function phoneNumber(random, language) {
  const digits = (count) => Array.from({ length: count }, () => random.int(0, 9)).join("")
  return language === "zh" ? `100 ${digits(4)} ${digits(4)}` : `(${random.int(201, 989)}) 555-01${digits(2)}`
}
