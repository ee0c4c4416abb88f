/** The shop's catalogue: what is sold, in which colours and sizes, at which price. Invented brands only. */

const both = (en, zh) => ({ en, zh })
const words = (en, zh) => ({ en: en.split("|"), zh: zh.split("|") })

/** Colour ids of variants, with the fill of the picture and the text of the chip. */
export const colors = {
  black: { fill: "#3c4043", en: "Black", zh: "黑色" },
  white: { fill: "#f1f3f4", en: "White", zh: "白色" },
  grey: { fill: "#9aa0a6", en: "Grey", zh: "灰色" },
  red: { fill: "#d93025", en: "Red", zh: "红色" },
  orange: { fill: "#f29900", en: "Orange", zh: "橙色" },
  yellow: { fill: "#fdd663", en: "Yellow", zh: "黄色" },
  green: { fill: "#188038", en: "Green", zh: "绿色" },
  teal: { fill: "#12a4af", en: "Teal", zh: "青色" },
  blue: { fill: "#1a73e8", en: "Blue", zh: "蓝色" },
  navy: { fill: "#174ea6", en: "Navy", zh: "藏青色" },
  purple: { fill: "#9334e6", en: "Purple", zh: "紫色" },
  pink: { fill: "#f28b9e", en: "Pink", zh: "粉色" },
  brown: { fill: "#8d6e63", en: "Brown", zh: "棕色" },
  beige: { fill: "#dccbb0", en: "Beige", zh: "米色" },
}

const clothes = ["S", "M", "L", "XL"]
const shoes = ["37", "38", "39", "40", "41", "42", "43", "44"]

/**
 * Every category has four kinds; every kind is sold in nine styles, one product each.
 *
 * `price` is the lowest and the highest price of a kind in dollars; a Chinese catalogue asks seven
 * times as much in yuan. A kind's own `styles` replace its category's.
 */
export const categories = [
  {
    id: "audio", tint: "#e8f0fe", name: both("Audio", "影音"),
    brands: words("Sonora|Halden|Wavefold|Kirra", "声诺|海登|波叠|奇拉"),
    styles: words("Wireless|Studio|Sport|Compact|Noise-cancelling|Everyday|Pro|Vintage|Kids'",
      "无线|录音室级|运动型|小巧|降噪|日常|专业|复古|儿童"),
    colors: ["black", "white", "navy", "red", "teal"],
    kinds: [
      { id: "headphones", name: both("Headphones", "头戴耳机"), price: [39, 299] },
      { id: "earbuds", name: both("Earbuds", "入耳式耳机"), price: [19, 199] },
      { id: "speaker", name: both("Speaker", "音箱"), price: [25, 249] },
      { id: "microphone", name: both("Microphone", "麦克风"), price: [29, 189] },
    ],
  },
  {
    id: "computers", tint: "#e6f4ea", name: both("Computers", "电脑办公"),
    brands: words("Northkey|Lumio|Parallel|Otter", "北键|流明|平行|水獭"),
    styles: words("Slim|Quiet|Gaming|Travel|Office|Creator|Student|Ultra|Classic",
      "轻薄|静音|电竞|便携|办公|创作|学生|超级|经典"),
    colors: ["grey", "black", "white", "blue"],
    kinds: [
      { id: "laptop", name: both("Laptop", "笔记本电脑"), price: [399, 1899], sizes: ["256 GB", "512 GB", "1 TB"] },
      { id: "keyboard", name: both("Keyboard", "键盘"), price: [25, 179] },
      { id: "mouse", name: both("Mouse", "鼠标"), price: [12, 99] },
      { id: "monitor", name: both("Monitor", "显示器"), price: [119, 699], sizes: ["24 in", "27 in", "32 in"] },
    ],
  },
  {
    id: "kitchen", tint: "#fef7e0", name: both("Kitchen", "厨房用品"),
    brands: words("Copperleaf|Brisa|Table & Tide|Hearthly", "铜叶|清风|潮汐餐桌|暖灶"),
    styles: words("Enamel|Steel|Family|Mini|Non-slip|Farmhouse|Everyday|Chef's|Glass-lid",
      "搪瓷|不锈钢|家庭装|迷你|防滑|乡村风|日常|主厨|玻璃盖"),
    colors: ["red", "white", "black", "teal", "beige"],
    kinds: [
      { id: "kettle", name: both("Kettle", "水壶"), price: [24, 119] },
      { id: "pan", name: both("Frying Pan", "煎锅"), price: [18, 99], sizes: ["20 cm", "24 cm", "28 cm"] },
      { id: "mug", name: both("Mug", "马克杯"), price: [7, 29] },
      { id: "knife", name: both("Kitchen Knife", "厨刀"), price: [15, 149] },
    ],
  },
  {
    id: "clothing", tint: "#fce8e6", name: both("Clothing", "服装"),
    brands: words("Fernhill|Plain Thread|Mosswear|Avenida", "蕨丘|素线|苔衣|大道"),
    styles: words("Cotton|Linen|Relaxed|Striped|Classic|Soft|Summer|Organic|City",
      "纯棉|亚麻|宽松|条纹|经典|柔软|夏季|有机棉|都市"),
    colors: ["white", "black", "navy", "red", "green", "beige", "pink"],
    kinds: [
      { id: "shirt", name: both("T-Shirt", "T恤"), price: [12, 49], sizes: clothes },
      { id: "jacket", name: both("Jacket", "夹克"), price: [49, 219], sizes: clothes },
      { id: "trousers", name: both("Trousers", "长裤"), price: [29, 119], sizes: clothes },
      { id: "dress", name: both("Dress", "连衣裙"), price: [35, 159], sizes: clothes },
    ],
  },
  {
    id: "shoes", tint: "#f3e8fd", name: both("Shoes", "鞋靴"),
    brands: words("Strider|Pebble|Cobble & Co|Quickstep", "阔步|卵石|石板路|快步"),
    styles: words("Trail|Canvas|Leather|Light|Everyday|Waterproof|Court|Cushioned|Winter",
      "越野|帆布|真皮|轻便|日常|防水|球场|缓震|冬季"),
    colors: ["white", "black", "brown", "blue", "red"],
    kinds: [
      { id: "sneaker", name: both("Sneakers", "运动鞋"), price: [39, 169], sizes: shoes },
      { id: "boot", name: both("Boots", "靴子"), price: [69, 229], sizes: shoes },
      { id: "sandal", name: both("Sandals", "凉鞋"), price: [19, 89], sizes: shoes },
      { id: "slipper", name: both("Slippers", "拖鞋"), price: [12, 45], sizes: shoes },
    ],
  },
  {
    id: "bags", tint: "#e4f7fb", name: both("Bags", "箱包"),
    brands: words("Carryall|Ridgeway|Salt Harbor|Tote Street", "万容|山脊路|盐港|托特街"),
    styles: words("Canvas|Leather|Roll-top|Weekend|Foldable|Business|Travel|Slim|Outdoor",
      "帆布|真皮|卷口|周末|折叠|商务|旅行|纤薄|户外"),
    colors: ["black", "brown", "navy", "green", "orange"],
    kinds: [
      { id: "backpack", name: both("Backpack", "双肩包"), price: [29, 149] },
      { id: "suitcase", name: both("Suitcase", "行李箱"), price: [69, 289], sizes: ["20 in", "24 in", "28 in"] },
      { id: "handbag", name: both("Handbag", "手提包"), price: [39, 199] },
      { id: "wallet", name: both("Wallet", "钱包"), price: [15, 89] },
    ],
  },
  {
    id: "sports", tint: "#e6f4ea", name: both("Sports", "运动户外"),
    brands: words("Summit Lab|Peakform|Blue Lane|Fieldnote", "山顶实验室|峰形|蓝道|田野"),
    styles: words("Beginner|Pro|Home|Grip|Light|Team|Outdoor|Recycled|Classic",
      "入门|专业|家用|防滑|轻量|团队|户外|环保|经典"),
    colors: ["purple", "blue", "green", "black", "orange"],
    kinds: [
      { id: "mat", name: both("Yoga Mat", "瑜伽垫"), price: [18, 79] },
      { id: "dumbbell", name: both("Dumbbell", "哑铃"), price: [14, 89], sizes: ["2 kg", "5 kg", "10 kg"] },
      { id: "helmet", name: both("Bike Helmet", "骑行头盔"), price: [29, 129], sizes: ["S", "M", "L"] },
      { id: "bottle", name: both("Water Bottle", "运动水壶"), price: [9, 39] },
    ],
  },
  {
    id: "beauty", tint: "#fce8f3", name: both("Beauty", "美妆护肤"),
    brands: words("Petal & Pine|Aurelle|Mira|Rain Room", "花与松|奥蕾|米拉|雨室"),
    styles: words("Rose|Citrus|Almond|Travel|Gentle|Velvet|Night|Fresh|Vanilla",
      "玫瑰|柑橘|杏仁|旅行装|温和|丝绒|夜用|清新|香草"),
    colors: ["pink", "red", "purple", "beige", "orange"],
    kinds: [
      { id: "lipstick", name: both("Lipstick", "口红"), price: [8, 39] },
      { id: "cream", name: both("Hand Cream", "护手霜"), price: [5, 29] },
      { id: "perfume", name: both("Perfume", "香水"), price: [25, 139], sizes: ["30 ml", "50 ml", "100 ml"] },
      { id: "soap", name: both("Soap", "香皂"), price: [3, 15] },
    ],
  },
  {
    id: "toys", tint: "#fef7e0", name: both("Toys", "玩具"),
    brands: words("Tumble|Little Orbit|Oakblock|Giggle", "翻滚|小轨道|橡木块|咯咯"),
    styles: words("Wooden|Giant|Rainbow|Pocket|Space|Jungle|Ocean|Musical|First",
      "木制|巨型|彩虹|口袋|太空|丛林|海洋|音乐|启蒙"),
    colors: ["red", "blue", "yellow", "green", "brown"],
    kinds: [
      { id: "puzzle", name: both("Puzzle", "拼图"), price: [8, 35] },
      { id: "blocks", name: both("Building Blocks", "积木"), price: [15, 79] },
      { id: "bear", name: both("Plush Bear", "毛绒熊"), price: [12, 49] },
      { id: "dice", name: both("Board Game", "桌游"), price: [14, 59] },
    ],
  },
  {
    id: "books", tint: "#efebe9", name: both("Books", "图书文具"),
    brands: words("Lantern Press|Harbor House|Two Rivers|Inkwell", "灯笼出版社|港湾书屋|两河|墨井"),
    colors: ["blue", "red", "green", "beige", "navy"],
    kinds: [
      { id: "novel", name: both("Novel", "小说"), price: [8, 24],
        styles: words("The Quiet Harbor:|Salt and Paper:|A Year of Rain:|The Last Ferry:|Lemon Street:|The Glass Orchard:|North of Winter:|Letters to June:|The Clockmaker:",
          "寂静的港湾·|盐与纸·|雨的一年·|最后的渡船·|柠檬街·|玻璃果园·|冬天以北·|给六月的信·|钟表匠·") },
      { id: "cookbook", name: both("Cookbook", "菜谱"), price: [14, 39],
        styles: words("Weeknight|Vegetarian|One-pot|Baking|Soup|Breakfast|Noodle|Family|Spice",
          "工作日|素食|一锅出|烘焙|汤品|早餐|面条|家庭|香料") },
      { id: "guide", name: both("Travel Guide", "旅行指南"), price: [11, 29],
        styles: words("Lisbon|Kyoto|Oslo|Mexico City|Istanbul|Vancouver|Cape Town|Seoul|Prague",
          "里斯本|京都|奥斯陆|墨西哥城|伊斯坦布尔|温哥华|开普敦|首尔|布拉格") },
      { id: "notebook", name: both("Notebook", "笔记本"), price: [4, 22],
        styles: words("Dotted|Lined|Pocket|Hardcover|Spiral|Sketch|Weekly|Leather|Recycled",
          "点阵|横线|口袋|精装|线圈|素描|周计划|皮面|再生纸") },
    ],
  },
  {
    id: "home", tint: "#e8f0fe", name: both("Home", "家居"),
    brands: words("Nestwell|Amber Room|Fold & Fern|Loftly", "巢安|琥珀屋|折蕨|阁楼"),
    styles: words("Nordic|Wool|Round|Bedside|Linen|Modern|Cozy|Bamboo|Minimal",
      "北欧|羊毛|圆形|床头|亚麻|现代|舒适|竹制|极简"),
    colors: ["yellow", "white", "grey", "teal", "beige"],
    kinds: [
      { id: "lamp", name: both("Lamp", "台灯"), price: [19, 129] },
      { id: "pillow", name: both("Cushion", "靠垫"), price: [9, 45] },
      { id: "chair", name: both("Chair", "椅子"), price: [49, 249] },
      { id: "wallclock", name: both("Wall Clock", "挂钟"), price: [15, 89] },
    ],
  },
  {
    id: "garden", tint: "#e6f4ea", name: both("Garden", "园艺"),
    brands: words("Greenthumb|Sprig|Potter's Yard|Meadowlark", "绿拇指|嫩枝|陶院|草地鹨"),
    styles: words("Balcony|Terracotta|Indoor|Large|Herb|Hanging|Metal|Heavy-duty|Starter",
      "阳台|陶土|室内|大号|香草|悬挂|金属|加固|入门"),
    colors: ["green", "orange", "teal", "brown", "grey"],
    kinds: [
      { id: "can", name: both("Watering Can", "浇水壶"), price: [9, 45] },
      { id: "pot", name: both("Plant Pot", "花盆"), price: [5, 49], sizes: ["S", "M", "L"] },
      { id: "shears", name: both("Pruning Shears", "园艺剪"), price: [12, 59] },
      { id: "plant", name: both("House Plant", "绿植"), price: [9, 69] },
    ],
  },
]

export const deliveries = {
  standard: { en: "Standard delivery", zh: "标准配送", days: 4, fee: { en: 490, zh: 1200 } },
  express: { en: "Express delivery", zh: "特快配送", days: 1, fee: { en: 1290, zh: 3000 } },
  pickup: { en: "Pick up in store", zh: "门店自提", days: 2, fee: { en: 0, zh: 0 } },
}

export const payments = {
  card: { en: "Card ending in 4821", zh: "尾号 4821 的银行卡" },
  wallet: { en: "Shop wallet", zh: "商城钱包" },
  cash: { en: "Cash on delivery", zh: "货到付款" },
}

/** Coupon codes: `percent` or `off` (in cents) is taken from the goods; `free` waives the delivery fee. */
export const coupons = {
  SPRING10: { percent: 10, least: { en: 0, zh: 0 }, en: "10% off everything", zh: "全场九折" },
  SAVE15: { off: { en: 1500, zh: 10000 }, least: { en: 10000, zh: 70000 }, en: "$15 off orders over $100", zh: "满 ¥700 减 ¥100" },
  FREESHIP: { free: true, least: { en: 0, zh: 0 }, en: "Free delivery", zh: "免运费" },
}

const reviewTexts = {
  5: words("Exactly what I hoped for. Would buy it again.|Arrived a day early and looks even better than in the pictures.|Bought one for my sister and ended up keeping it.|Solid, well made, worth every cent.|We use it every day and it still looks new.",
    "完全符合预期，会再次购买。|提前一天送到，实物比图片还好看。|本来想送给妹妹，最后自己留下了。|做工扎实，物有所值。|每天都在用，看起来还像新的一样。"),
  4: words("Very good, only the packaging was a little dented.|Does its job well. I wish there were more colors.|Good quality for the price.|Nice, though slightly smaller than I expected.|Happy with it so far after two weeks.",
    "很好，只是包装有点压坏了。|很好用，要是颜色再多一些就好了。|这个价格质量很不错。|不错，就是比想象中小一点。|用了两周，目前很满意。"),
  3: words("It is fine. Nothing special.|Good idea, average finish.|Took nine days to arrive, the product itself is okay.|Okay for occasional use.",
    "还可以，没什么特别的。|想法不错，做工一般。|等了九天才到，东西本身还行。|偶尔用用还可以。"),
  2: words("The color is quite different from the picture.|Feels cheaper than it looks.|Had to exchange it once.",
    "颜色和图片差别挺大的。|手感比看上去廉价。|换了一次货才满意。"),
  1: words("Stopped being useful after a week, sent it back.|Not what I ordered.",
    "用了一周就不行了，已退货。|收到的不是我订的款式。"),
}

const reviewers = words("Anna P.|Deepak S.|Rosa M.|Tom W.|Yuki T.|Hanna L.|Omar K.|Lucia F.|Ben C.|Ingrid N.|Paolo R.|Grace O.",
  "安然|晓风|小鹿|王先生|林间|豆豆妈|阿杰|青柠|一只橙子|李小姐|北方的云|陈同学")

/** The reviews of a product: a function of its id and rating alone, so that they need no state. Newest first. */
export function reviewsOf(product, language, now) {
  const count = 3 + (product.id * 7) % 6
  return Array.from({ length: count }, (_, at) => {
    const turn = product.id * 13 + at * 5
    const near = Math.round(product.rating)
    const stars = Math.max(1, Math.min(5, near + [0, 0, 1, -1, 0, -2][turn % 6]))
    const texts = reviewTexts[stars][language]
    return {
      author: reviewers[language][turn % reviewers[language].length],
      stars,
      text: texts[(turn >> 1) % texts.length],
      at: now - (at * 11 + 2 + product.id % 9) * 86400000,
    }
  })
}

/** The nine styles of a kind in one language. */
export const stylesOf = (category, kind, language) => (kind.styles ?? category.styles)[language]
