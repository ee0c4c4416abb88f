/** What the seeded notes say, in both languages: recipes, shopping lists, trips, work, ideas and the rest of a life. */

const words = (text) => text.split("|")

/** Dish: what it needs; how it is made. */
const recipes = {
  en: [
    "Tomato soup:6 tomatoes, 1 onion, 2 cloves of garlic, basil, cream:Roast the tomatoes for 25 minutes, blend with the fried onion and stir in the cream.",
    "Lemon chicken:4 chicken thighs, 2 lemons, honey, thyme, olive oil:Marinate for an hour, then bake at 200 degrees until golden.",
    "Mushroom risotto:300 g rice, mushrooms, 1 onion, stock, parmesan:Add the hot stock one ladle at a time and keep stirring for 18 minutes.",
    "Banana bread:3 ripe bananas, 250 g flour, 2 eggs, 100 g butter, sugar:Mash, mix and bake for 50 minutes at 175 degrees.",
    "Lentil curry:200 g red lentils, coconut milk, ginger, curry paste, spinach:Simmer the lentils for 20 minutes and fold in the spinach at the end.",
    "Pancakes:200 g flour, 2 eggs, 300 ml milk, salt, butter:Let the batter rest for ten minutes before the first one.",
    "Greek salad:1 cucumber, 4 tomatoes, feta, olives, red onion:Cut everything large, dress with oil and oregano just before eating.",
    "Pumpkin pie:1 pumpkin, 3 eggs, cream, cinnamon, pastry:Bake the pastry blind first, then fill it and bake 40 minutes more.",
    "Fish tacos:400 g white fish, tortillas, cabbage, lime, yogurt:Fry the fish quickly and serve with lime yogurt.",
    "Potato gratin:1 kg potatoes, 400 ml cream, garlic, nutmeg, cheese:Slice thin, layer, and bake for an hour at 180 degrees.",
    "Vegetable lasagna:lasagna sheets, zucchini, eggplant, tomato sauce, ricotta:Grill the vegetables first so that it does not get watery.",
    "Apple crumble:5 apples, 150 g oats, 100 g butter, brown sugar, cinnamon:Rub the butter into the oats and bake until the top is crisp.",
    "Miso noodles:2 packs of noodles, miso paste, tofu, spring onion, egg:Never boil the miso, stir it in off the heat.",
    "Shakshuka:1 can of tomatoes, 2 peppers, 4 eggs, cumin, parsley:Make wells in the sauce and cover until the eggs are just set.",
    "Beef stew:800 g beef, carrots, red wine, bay leaf, potatoes:Brown the meat well, then leave it alone for two hours.",
    "Hummus:1 can of chickpeas, tahini, lemon, garlic, ice water:Blend for a full four minutes, the ice water makes it light.",
    "Carrot cake:300 g carrots, 3 eggs, walnuts, flour, cream cheese:Grate the carrots finely and cool it before the frosting.",
    "Garlic shrimp:500 g shrimp, 6 cloves of garlic, chili, white wine, parsley:Two minutes a side, no longer.",
    "Onion tart:5 onions, puff pastry, thyme, 2 eggs, cream:Cook the onions slowly for 40 minutes.",
    "Granola:400 g oats, almonds, honey, coconut, raisins:Stir once halfway and let it cool on the tray.",
  ],
  zh: [
    "番茄鸡蛋面:3个番茄、2个鸡蛋、面条、葱、盐:先炒蛋盛出，番茄炒出汁加水煮开，下面条，最后放鸡蛋。",
    "红烧肉:五花肉500克、冰糖、生抽、老抽、姜片:肉焯水后炒糖色，小火炖一个小时再收汁。",
    "麻婆豆腐:一块嫩豆腐、肉末、豆瓣酱、花椒、蒜:豆腐先用盐水泡一下，不容易碎。",
    "可乐鸡翅:鸡翅10个、可乐一罐、生抽、姜、八角:两面煎黄后倒可乐，中火收到浓稠。",
    "酸辣土豆丝:2个土豆、干辣椒、醋、花椒、葱:土豆丝要泡水去淀粉，大火快炒。",
    "皮蛋瘦肉粥:大米、皮蛋2个、瘦肉、姜丝、香葱:米先用油拌半小时，粥更绵。",
    "清蒸鲈鱼:鲈鱼一条、姜、葱、蒸鱼豉油、料酒:水开后蒸八分钟，淋热油。",
    "宫保鸡丁:鸡胸肉、花生、干辣椒、黄瓜、葱:花生最后放才脆。",
    "香菇炖鸡:半只鸡、香菇10朵、红枣、枸杞、姜:香菇提前泡好，泡香菇的水一起炖。",
    "蒜蓉西兰花:西兰花一颗、蒜5瓣、盐、油、蚝油:焯水时加一点油颜色更绿。",
    "葱油拌面:细面、小葱一把、生抽、老抽、糖:小火慢慢把葱熬到焦黄。",
    "玉米排骨汤:排骨500克、玉米2根、胡萝卜、姜、盐:排骨焯水后小火炖一个半小时。",
    "韭菜盒子:面粉、韭菜、鸡蛋、粉丝、虾皮:韭菜最后拌，先放油锁住水分。",
    "凉拌黄瓜:黄瓜2根、蒜、醋、香油、辣椒油:黄瓜拍碎更入味。",
    "鱼香茄子:茄子2根、肉末、豆瓣酱、糖、醋:茄子先用盐腌一下少吸油。",
    "红豆沙:红豆300克、冰糖、陈皮、水、糯米粉:红豆冷冻一夜再煮容易出沙。",
    "糖醋里脊:里脊300克、番茄酱、白醋、糖、淀粉:复炸一遍更酥。",
    "手抓饼早餐:手抓饼、鸡蛋、生菜、火腿、甜面酱:小火煎到两面金黄。",
    "冬瓜丸子汤:冬瓜、猪肉馅、香菜、姜、白胡椒:丸子下锅时水不要沸腾。",
    "蛋炒饭:隔夜饭、2个鸡蛋、火腿、青豆、葱:饭要先打散，全程大火。",
  ],
}

const groceries = {
  en: words("milk|eggs|bread|butter|apples|bananas|rice|pasta|tomatoes|onions|cheese|yogurt|coffee|tea|spinach|carrots|chicken|olive oil|oats|honey|lemons|potatoes|dish soap|paper towels|toothpaste|cat food"),
  zh: words("牛奶|鸡蛋|面包|黄油|苹果|香蕉|大米|面条|番茄|洋葱|豆腐|酸奶|咖啡|茶叶|菠菜|胡萝卜|鸡肉|食用油|燕麦|蜂蜜|柠檬|土豆|洗洁精|纸巾|牙膏|猫粮"),
}
const packing = {
  en: words("passport|phone charger|sunscreen|rain jacket|toothbrush|two sweaters|hiking boots|book|headphones|medicine|sunglasses|travel adapter|swimsuit|tickets|camera|snacks"),
  zh: words("护照|手机充电器|防晒霜|雨衣|牙刷|两件毛衣|登山鞋|书|耳机|常用药|太阳镜|转换插头|泳衣|车票|相机|零食"),
}
const places = {
  en: words("Lisbon|Kyoto|Oslo|Istanbul|Vancouver|Prague|Seoul|Edinburgh|Porto|Hanoi|Athens|Denver|Naples|Bergen|Seville|Montreal|Krakow|Dublin"),
  zh: words("成都|厦门|西安|大理|青岛|杭州|桂林|哈尔滨|苏州|重庆|拉萨|敦煌|京都|首尔|清迈|槟城|里斯本|奥斯陆"),
}
const topics = {
  en: words("the spring launch|the new website|hiring two designers|the budget for April|the office move|customer interviews|the mobile app|the summer campaign|the support backlog|the yearly survey|the partner contract|the training day"),
  zh: words("春季发布|新网站|招聘两名设计师|四月预算|办公室搬迁|客户访谈|手机应用|夏季活动|客服积压|年度调查|合作合同|培训日"),
}
const people = {
  en: words("Maya|Tom|Priya|Lucas|Hanna|Omar|Grace|Diego|Yuki|Nora|Ben|Ingrid|Sam|Elena|Ravi|Zoe"),
  zh: words("小雅|王强|晓梅|李雷|佳佳|志远|雨桐|大伟|思琪|小川|文静|海涛|梦瑶|建国|阿杰|丽华"),
}
const days = {
  en: words("Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"),
  zh: words("周一|周二|周三|周四|周五|周六|周日"),
}

const ideas = {
  en: [
    "Balcony herb wall:Old pallets, three rows of pots, basil on top where the sun is. Ask Omar for his drill.",
    "App for lost gloves:People photograph a glove where they found it. A map shows all of them. Mostly a joke, but winter is long.",
    "Family photo calendar:One picture per month chosen by each of us, printed in November so that it is ready as a gift.",
    "Reading hour:No screens from eight to nine. Start with two evenings a week.",
    "Street breakfast:Ask the neighbors whether we can close the street for one Sunday morning in June.",
    "Podcast about maps:Each episode one map, who drew it and what it got wrong. Ten minutes at most.",
    "Repair corner:A shelf with glue, needles, screws and a list of what waits to be fixed.",
    "Slow morning playlist:Forty songs, nothing faster than a walk. Start with guitar.",
    "Swap party:Everyone brings five things they no longer use and takes home at most three.",
    "Short film in one room:Two people, one lamp, and a letter neither of them wants to open.",
    "Bike basket:Sew a waterproof bag that clips on with two magnets.",
    "Name for the boat:Second Breakfast, Tide Table, or Margot.",
    "Learn to juggle:Ten minutes a day for a month. Film day one and day thirty.",
    "Window drawing:Let the kids draw the view on the glass with chalk markers.",
    "Birthday treasure hunt:Seven clues, the last one in the mailbox. Riddle about the old tree.",
    "Letter to future me:Write it in March, open it next March. Put it with the passports.",
  ],
  zh: [
    "阳台香草墙:用旧木架放三层花盆，罗勒放最上面晒太阳。找志远借电钻。",
    "丢手套地图:大家把捡到的手套拍照，地图上都能看到。算是个玩笑，不过冬天很长。",
    "家庭照片日历:每人选一个月的照片，十一月印好，刚好当礼物。",
    "阅读一小时:晚上八点到九点不看屏幕，先从每周两天开始。",
    "街区早餐:问问邻居六月能不能找个周日早上一起在楼下吃早饭。",
    "关于地图的播客:每集讲一张地图，谁画的，画错了什么。最多十分钟。",
    "修理角:一个架子，放胶水、针线、螺丝和待修清单。",
    "慢早晨歌单:四十首歌，都不比散步快。从吉他开始。",
    "交换派对:每人带五件不用的东西，最多带走三件。",
    "一个房间的短片:两个人，一盏灯，一封谁也不想拆的信。",
    "自行车篮:缝一个用两块磁铁固定的防水包。",
    "小船的名字:第二顿早餐、潮汐表，或者小满。",
    "学抛球:每天十分钟，坚持一个月，第一天和第三十天都录下来。",
    "窗户画:让孩子们用粉笔把窗外的风景画在玻璃上。",
    "生日寻宝:七条线索，最后一条在信箱里，谜语写那棵老树。",
    "写给未来的信:三月写，明年三月拆，和护照放在一起。",
  ],
}

const personal = {
  en: [
    "Gifts for {person}:A good umbrella, the cookbook from the market, or tickets for the concert in May.",
    "Call with {person}:Asked about the new job, the dog is better, they visit us on {day} in two weeks.",
    "Books {person} recommended:The Quiet Harbor, Lemon Street and the one about the clockmaker. Library has two of them.",
    "Wi-Fi at {person}'s place:Network: garden-house. Password: {number} blue herons. Router is behind the bookshelf.",
    "Dinner with {person}:Table for four at seven on {day}. No nuts. Bring the photos from last summer.",
    "Running plan for {day}:Warm up, then {number} minutes easy along the river and four short sprints on the hill.",
    "Plant care while away:{person} waters the ferns on {day}. The cactus needs nothing. Keys are with the neighbor.",
  ],
  zh: [
    "送{person}的礼物:一把好伞、市场上那本菜谱，或者五月演唱会的票。",
    "和{person}通话:问了新工作的事，狗狗好多了，两周后的{day}来我们家。",
    "{person}推荐的书:《寂静的港湾》《柠檬街》和讲钟表匠的那本，图书馆有两本。",
    "{person}家的无线网:名称：花园小屋。密码：{number}只白鹭。路由器在书架后面。",
    "和{person}吃饭:{day}晚上七点，四个人，不要放花生，带上去年夏天的照片。",
    "{day}跑步计划:先热身，沿河慢跑{number}分钟，再在坡上冲刺四次。",
    "出门时的植物:{person}{day}来浇蕨类，仙人掌不用管，钥匙在邻居家。",
  ],
}

const work = {
  en: [
    "Meeting with {person}:We talked about {topic}. {person} writes the first draft by {day}, I check the numbers.",
    "Notes on {topic}:What went well: clear owner, short meetings. What to change: decide earlier, write it down.",
    "Questions for {person}:Who decides about {topic}? When do we hear back? Is {day} still the deadline?",
    "{day} review:Done: {topic}. Open: two reviews and the slides. Next: ask {person} for feedback.",
    "Plan for {topic}:Week one: collect wishes. Week two: first version. Week three: show it to {person} and the team.",
  ],
  zh: [
    "和{person}的会议:讨论了{topic}。{person}{day}前写初稿，我核对数字。",
    "{topic}记录:做得好的：负责人明确，会议简短。要改的：早点决定，写下来。",
    "要问{person}的问题:{topic}由谁决定？什么时候有答复？截止日期还是{day}吗？",
    "{day}复盘:完成：{topic}。未完成：两个评审和幻灯片。下一步：请{person}提意见。",
    "{topic}计划:第一周收集需求，第二周出初版，第三周给{person}和团队看。",
  ],
}

const tasks = {
  en: words("answer {person}|book the room|send the slides|check the numbers|write the summary|update the calendar|order new chairs|read the contract|plan {day}|back up the laptop"),
  zh: words("回复{person}|订会议室|发幻灯片|核对数字|写总结|更新日历|订新椅子|看合同|安排{day}|备份电脑"),
}

export const folderNames = {
  en: { personal: "Personal", work: "Work", recipes: "Recipes", travel: "Travel", shopping: "Shopping", ideas: "Ideas" },
  zh: { personal: "个人", work: "工作", recipes: "菜谱", travel: "旅行", shopping: "购物", ideas: "灵感" },
}

function fill(template, random, language) {
  const slots = {
    person: random.pick(people[language]),
    day: random.pick(days[language]),
    topic: random.pick(topics[language]),
    number: String(random.int(20, 60)),
  }
  const text = template.replace(/\{(\w+)\}/g, (_, slot) => slots[slot])
  const cut = text.indexOf(":")
  return { title: text.slice(0, cut), body: text.slice(cut + 1) }
}

const some = (random, pool, count, odds) =>
  random.shuffle([...pool]).slice(0, count).map((text) => ({ text, done: random.int(1, 100) <= odds }))

/** Drafts of notes, `{title, body, folder, checklist}`, no two with the same title. */
export function draftNotes(random, language) {
  const en = language === "en"
  const drafts = recipes[language].map((recipe) => {
    const [title, needs, steps] = recipe.split(":")
    return { title, folder: "recipes", checklist: null, body: en ? `You need ${needs}.\n\n${steps}` : `需要：${needs}。\n\n${steps}` }
  })
  for (const text of ideas[language]) drafts.push({ ...fill(text, random, language), folder: "ideas", checklist: null })
  for (const place of places[language]) {
    drafts.push({ title: en ? `Packing for ${place}` : `${place}行李清单`, body: "", folder: "travel", checklist: some(random, packing[language], random.int(5, 9), 35) })
    const nights = random.int(2, 8)
    const price = random.int(6, 19) * 10
    drafts.push({ title: en ? `Three days in ${place}` : `${place}三日游`, folder: "travel", checklist: null, body: en
      ? `Old town on the first day, the market and the museum on the second, a train to the coast or the hills on the third. The hotel near the station costs about ${price} a night for ${nights} nights.`
      : `第一天逛老城，第二天去市场和博物馆，第三天坐火车去郊外。车站旁的酒店每晚大约${price}，住${nights}晚。` })
  }
  for (let week = 1; week <= 34; week++) {
    drafts.push({ title: en ? `Groceries, week ${week}` : `第${week}周买菜`, body: "", folder: "shopping", checklist: some(random, groceries[language], random.int(4, 9), week <= 10 ? 30 : 80) })
  }
  for (let week = 1; week <= 10; week++) {
    const checklist = some(random, tasks[language], random.int(4, 7), 40)
    for (const item of checklist) item.text = fill(`${item.text}:`, random, language).title
    drafts.push({ title: en ? `To do, week ${week}` : `第${week}周待办`, body: "", folder: "work", checklist })
  }
  const titles = new Set(drafts.map((draft) => draft.title))
  for (const [folder, templates, count] of [["work", work, 56], ["personal", personal, 56]]) {
    for (let made = 0; made < count;) {
      const draft = fill(templates[language][made % templates[language].length], random, language)
      if (titles.has(draft.title)) {
        draft.title += en ? ` (${made + 1})` : `（${made + 1}）`
      }
      titles.add(draft.title)
      drafts.push({ ...draft, folder, checklist: null })
      made++
    }
  }
  return drafts
}
