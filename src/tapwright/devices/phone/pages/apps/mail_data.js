/** What the seeded mails say. Letters come from people, notices from companies; `{slots}` are filled at seeding. */

/** Letters, as "label|subject|body"; the label is one of the mailbox's own or empty. */
export const letters = {
  en: [
    "work|Slides for {project}|I put the slides for {project} into the shared folder. Page {number} still needs a picture. Could you look through them before {day} and tell me what is unclear?",
    "work|Moving our {day} meeting|Something came up and I cannot make it at {time} on {day}. Would the same time one day later work for you? If not, please suggest another slot and I will book the small room.",
    "work|Question about {project}|The client asked when {project} will be ready. I told them we would answer by {day}. Do you think two more weeks are enough, or should we ask for three?",
    "work|Budget draft for {project}|Attached is the first draft of the budget. The total comes to {amount}, which is a little more than last year. Most of it is travel. Tell me where you would cut.",
    "work|Feedback on your draft|I read your draft on the train to {city}. The opening is strong, the middle part repeats itself a bit. I marked {number} places. Let us talk on {day}.",
    "work|New colleague starting on {day}|A new colleague joins the team on {day}. Could you show them around at {time} and explain how {project} is set up? I will bring coffee.",
    "work|Minutes of the call about {project}|Here is what we agreed: first, the launch stays in April. Second, the texts are due on {day}. Third, I check the contract with {company}. Please correct me if I missed something.",
    "work|Access to the folder for {project}|I cannot open the folder for {project} any more. Could you add me again? I need the numbers before {time} on {day}.",
    "work|Lunch talk about {project}|I am giving a short lunch talk about {project} on {day} at {time}. It would help a lot if you could sit in and ask a question or two at the end.",
    "family|Dinner on {day}?|We are cooking on {day} and there is far too much food for two. Come over at {evening} if you like. Bring nothing, or a lemon.",
    "family|Photos from {city}|The photos from {city} are finally sorted. I put the best {number} into an album. My favorite is the one with the dog on the ferry. Do you want prints?",
    "family|Grandma's birthday|Grandma's birthday is on {day}. I thought we could all give her the {thing} she keeps looking at. It would be {amount} each. Are you in?",
    "|Weekend in {city}|I found a cheap train to {city}, leaving on {day} at {time}. Two nights, small hotel by the river. Shall I book for both of us?",
    "|Your {thing}|I still have your {thing} from last month. Sorry it took so long. I can drop it off on {day} after {time}, or leave it with your neighbor.",
    "|Concert tickets|There are two tickets left for the concert in {city} on {day}. They cost {amount} together. I need to know by {evening} tonight because somebody else is asking too.",
    "|Recipe you asked for|You asked for the soup from {day}. Roast six tomatoes and one onion for {number} minutes, blend them with stock and add cream at the very end. That is all there is to it.",
    "|Running on {day}|A few of us run along the river on {day} at {time}. Slow pace, about {number} minutes, coffee afterwards. You said you wanted to start again.",
    "|Moving house|I am moving to {city} at the end of the month and need two strong arms on {day}. There will be pizza. The van is booked for {time}.",
    "|Book club: next one|The next book is about a clockmaker in {city}. We meet on {day} at {evening}, this time at my place. It has {number}0 pages, so you can still make it.",
    "|Thank you!|Thank you so much for the {thing}. It arrived on {day} and it is perfect. The children have not put it down since.",
  ],
  zh: [
    "work|{project}的幻灯片|{project}的幻灯片我放到共享文件夹了，第{number}页还缺一张图。能在{day}之前看一遍，告诉我哪里不清楚吗？",
    "work|{day}的会议改期|临时有事，{day}{time}我来不了。推迟一天同一时间可以吗？如果不行请再提一个时间，我来订小会议室。",
    "work|关于{project}的问题|客户问{project}什么时候能好，我说{day}之前答复。你觉得再有两周够吗，还是要三周？",
    "work|{project}预算初稿|附件是预算初稿，总计{amount}，比去年略多，主要是差旅。你看哪里可以减一点？",
    "work|对你初稿的意见|去{city}的火车上读了你的初稿，开头很好，中间有些重复。我标了{number}处，{day}我们聊聊。",
    "work|{day}有新同事入职|{day}有一位新同事加入团队。{time}你能带他转转，介绍一下{project}吗？咖啡我来买。",
    "work|{project}电话会议纪要|我们确定了三点：一，四月发布不变；二，文案{day}交；三，和{company}的合同我来核对。有遗漏请指正。",
    "work|{project}文件夹权限|我打不开{project}的文件夹了，能再加我一次吗？{day}{time}之前要用里面的数字。",
    "work|{project}午餐分享|{day}{time}我做一个关于{project}的午餐分享，你能来听听，最后提一两个问题就太好了。",
    "family|{day}来吃晚饭吗？|{day}我们做饭，两个人吃不完。想来的话{evening}过来，什么都不用带，带个柠檬也行。",
    "family|{city}的照片|{city}的照片终于整理好了，最好的{number}张放进了相册，我最喜欢渡船上那只狗。你要洗几张吗？",
    "family|奶奶的生日|奶奶{day}过生日，她一直在看那个{thing}，我们一起送吧，每人{amount}，你参加吗？",
    "|周末去{city}|我找到去{city}的便宜火车，{day}{time}出发，住两晚，河边的小旅馆。要我一起订吗？",
    "|你的{thing}|上个月你的{thing}还在我这里，不好意思拖了这么久。{day}{time}以后我送过去，或者放在你邻居那里。",
    "|音乐会门票|{day}{city}的音乐会还剩两张票，一共{amount}。今晚{evening}前告诉我，还有别人在问。",
    "|你要的菜谱|你问{day}那个汤怎么做：六个番茄和一个洋葱烤{number}分钟，加高汤打碎，最后放奶油，就这么简单。",
    "|{day}跑步|我们几个{day}{time}沿河跑步，慢跑{number}分钟左右，跑完喝咖啡。你说过想重新开始的。",
    "|搬家|月底我要搬到{city}，{day}需要两个有力气的人，有披萨吃，车约在{time}。",
    "|读书会下一本|下一本讲{city}的一个钟表匠，{day}{evening}在我家聚。一共{number}0页，还来得及。",
    "|谢谢你！|太感谢你送的{thing}了，{day}收到的，特别好，孩子们一直拿在手里。",
  ],
}

/** Notices, as "label|sender|subject|body". */
export const notices = {
  en: [
    "receipts|Parcel Post|Your parcel {code} is on its way|Parcel {code} left our depot in {city} and arrives on {day}, about {time}. If nobody is home we leave it at the shop on the corner. You do not need to reply to this mail.",
    "receipts|Tap Market|Receipt for order {code}|Thank you for your order. We charged {amount} for your {thing}. It leaves our warehouse on {day}. You can return anything within thirty days.",
    "receipts|City Energy|Your bill {code}|Your bill for the past month is {amount}. We collect it on {day}. You used {number} percent less than in the same month last year.",
    "travel|Silverline Rail|Your tickets to {city}|Booking {code}: one way to {city}, {day} at {time}, coach 7, seat {number}. Please be on the platform ten minutes early and keep this mail at hand.",
    "travel|Hotel Lindenhof|Booking {code} confirmed|We look forward to your stay in {city}. Check-in on {day} from {time}. The price for two nights is {amount} with breakfast. You can cancel free of charge until the day before.",
    "travel|Bluebird Air|Check in now for {city}|Your flight {code} to {city} leaves on {day} at {time}. Online check-in is open. One piece of hand luggage is included, further bags cost {amount}.",
    "news|The Morning Letter|Five things to read on {day}|A town near {city} brings back its night train. A teacher counts birds for {number} years. Why bread smells better in winter. And two recipes for the weekend.",
    "news|Garden Weekly|What to plant this week|The ground is warm enough for peas and spinach. Start tomatoes indoors, about {number} days before the last frost. Our reader from {city} shows her balcony.",
    "news|Open Maps Digest|New paths around {city}|Volunteers added {number} walking paths around {city} last month. This issue explains how to survey a trail with a phone and what to do about gates.",
    "news|Northside Library|Your loans are due on {day}|Two books on your card are due on {day}. You can extend them once. We are open until {time} and the return box is always open.",
    "|Harbor Clinic|Appointment on {day}|This is a reminder of your appointment on {day} at {time}. Please bring your card and come ten minutes early. Call us if you cannot make it.",
    "|Iron Gate Bank|Your statement {code} is ready|Your new statement is ready in the app. Money in: {amount}. There were {number} payments this month. We never ask for your password by mail.",
  ],
  zh: [
    "receipts|邮政包裹|包裹{code}正在派送|包裹{code}已离开{city}，{day}{time}左右送达。如无人在家，我们会放在街角的小店。本邮件无需回复。",
    "receipts|塔普商城|订单{code}的收据|感谢您的订单，{thing}共收取{amount}，{day}出库，三十天内可退货。",
    "receipts|城市能源|账单{code}|您上个月的账单为{amount}，将于{day}扣款。用量比去年同月减少百分之{number}。",
    "travel|银线铁路|您去{city}的车票|订单{code}：{day}{time}前往{city}，7车{number}座。请提前十分钟到站台，并保留此邮件。",
    "travel|菩提酒店|预订{code}已确认|期待您入住{city}。{day}{time}起办理入住，两晚含早餐共{amount}，前一天可免费取消。",
    "travel|青鸟航空|前往{city}的航班可以值机了|航班{code}将于{day}{time}飞往{city}，网上值机已开放，含一件手提行李，额外行李{amount}。",
    "news|早晨来信|{day}值得读的五件事|{city}附近的小城恢复了夜车；一位老师数了{number}年的鸟；冬天的面包为什么更香；还有两个周末菜谱。",
    "news|园艺周刊|本周种什么|土地已经够暖，可以种豌豆和菠菜。番茄先在室内育苗，约在最后一次霜冻前{number}天。来自{city}的读者展示她的阳台。",
    "news|开放地图简报|{city}周边的新路线|志愿者上个月在{city}周边新增{number}条步道。本期介绍怎样用手机测绘小路。",
    "news|北区图书馆|您的图书{day}到期|您借的两本书{day}到期，可续借一次。我们开放到{time}，还书箱全天可用。",
    "|海湾诊所|{day}的预约|提醒您{day}{time}有预约，请带好证件并提前十分钟到。如不能来请致电。",
    "|铁门银行|账单{code}已生成|新账单可在应用中查看，收入{amount}，本月共{number}笔支付。我们绝不会通过邮件索要密码。",
  ],
}

export const spam = {
  en: [
    "Lucky Draw Center|You have won {amount}!!!|Congratulations! Your address was drawn from {number} million. To receive {amount} please send us a small handling fee before {day}.",
    "Super Watches|Luxury watches {number}% off|Only until {time} on {day}: watches that look like the real thing. Nobody will notice the difference.",
    "Quick Money|Earn {amount} a day from home|No experience needed. People from {city} already earn {amount} a day. Reply now, only {number} places left.",
    "Mail Team|Your mailbox {code} is full|Your mailbox is {number}% full and will be closed on {day}. Confirm your password by replying to this message.",
  ],
  zh: [
    "幸运抽奖中心|恭喜您中奖{amount}！！！|恭喜！您的邮箱从{number}万个地址中抽中。请在{day}前支付少量手续费领取{amount}。",
    "超级名表|名表特惠{number}折|仅限{day}{time}前：看起来和真的一样的手表，没人看得出差别。",
    "快速赚钱|在家日赚{amount}|无需经验，{city}已有人日赚{amount}，只剩{number}个名额，马上回复。",
    "邮箱团队|您的邮箱{code}已满|您的邮箱已用{number}%，将于{day}关闭，请回复密码确认。",
  ],
}

export const slots = {
  en: {
    project: "the spring launch|the website|the mobile app|the yearly report|the customer survey|the training day|the office move|the summer campaign".split("|"),
    thing: "umbrella|drill|tent|teapot|guitar|board game|raincoat|cookbook|camera|bicycle pump".split("|"),
    day: "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday".split("|"),
    company: "Northwind Labs|Blue Harbor|Cobalt Works|Paper Crane|Lumen Studio".split("|"),
  },
  zh: {
    project: "春季发布|新网站|手机应用|年度报告|客户调查|培训日|办公室搬迁|夏季活动".split("|"),
    thing: "雨伞|电钻|帐篷|茶壶|吉他|桌游|雨衣|菜谱|相机|打气筒".split("|"),
    day: "周一|周二|周三|周四|周五|周六|周日".split("|"),
    company: "北风实验室|蓝港科技|钴蓝工坊|纸鹤文化|流明设计".split("|"),
  },
}

/** Files by what the subject of their mail is about. */
export const attachments = {
  en: [
    { about: "slides", name: "slides.pdf" }, { about: "budget", name: "budget.xlsx" }, { about: "photos", name: "photo.jpg" }, { about: "tickets", name: "tickets.pdf" },
    { about: "minutes", name: "minutes.docx" }, { about: "receipt", name: "invoice.pdf" }, { about: "paths", name: "map.png" },
  ],
  zh: [
    { about: "幻灯片", name: "幻灯片.pdf" }, { about: "预算", name: "预算.xlsx" }, { about: "照片", name: "照片.jpg" }, { about: "票", name: "车票.pdf" },
    { about: "纪要", name: "会议纪要.docx" }, { about: "收据", name: "发票.pdf" }, { about: "路线", name: "地图.png" },
  ],
}
