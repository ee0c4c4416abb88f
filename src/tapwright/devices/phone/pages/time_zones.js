/** Time zones and their cities, with each zone's offset from UTC as it stood on 2026-03-14.
 *
 * The phone's calendar never leaves that offset: a zone is a fixed number of minutes.
 */

const table = `
Pacific/Pago_Pago -660 Pago Pago:帕果帕果
Pacific/Honolulu -600 Honolulu:檀香山
Pacific/Tahiti -600 Papeete:帕皮提
Pacific/Marquesas -570 Taiohae:泰奥海伊
America/Anchorage -480 Anchorage:安克雷奇|Juneau:朱诺|Fairbanks:费尔班克斯
America/Los_Angeles -420 Los Angeles:洛杉矶|San Francisco:旧金山|Seattle:西雅图|San Diego:圣迭戈|Las Vegas:拉斯维加斯|Portland:波特兰|Sacramento:萨克拉门托
America/Vancouver -420 Vancouver:温哥华|Victoria:维多利亚
America/Tijuana -420 Tijuana:蒂华纳
America/Phoenix -420 Phoenix:菲尼克斯|Tucson:图森
America/Denver -360 Denver:丹佛|Salt Lake City:盐湖城|Albuquerque:阿尔伯克基|Boise:博伊西
America/Edmonton -360 Edmonton:埃德蒙顿|Calgary:卡尔加里
America/Mexico_City -360 Mexico City:墨西哥城|Guadalajara:瓜达拉哈拉|Puebla:普埃布拉
America/Monterrey -360 Monterrey:蒙特雷
America/Regina -360 Regina:里贾纳
America/Guatemala -360 Guatemala City:危地马拉城
America/Costa_Rica -360 San José:圣何塞
America/El_Salvador -360 San Salvador:圣萨尔瓦多
America/Managua -360 Managua:马那瓜
America/Tegucigalpa -360 Tegucigalpa:特古西加尔巴
America/Chicago -300 Chicago:芝加哥|Houston:休斯敦|Dallas:达拉斯|Austin:奥斯汀|Minneapolis:明尼阿波利斯|New Orleans:新奥尔良|San Antonio:圣安东尼奥|Memphis:孟菲斯|Milwaukee:密尔沃基
America/Winnipeg -300 Winnipeg:温尼伯
America/Bogota -300 Bogotá:波哥大|Medellín:麦德林|Cali:卡利
America/Lima -300 Lima:利马|Cusco:库斯科
America/Guayaquil -300 Quito:基多|Guayaquil:瓜亚基尔
America/Panama -300 Panama City:巴拿马城
America/Jamaica -300 Kingston:金斯敦
America/Cancun -300 Cancún:坎昆
America/New_York -240 New York:纽约|Boston:波士顿|Washington:华盛顿|Miami:迈阿密|Atlanta:亚特兰大|Philadelphia:费城|Detroit:底特律|Orlando:奥兰多|Charlotte:夏洛特|Pittsburgh:匹兹堡|Baltimore:巴尔的摩|Cleveland:克利夫兰
America/Toronto -240 Toronto:多伦多|Montreal:蒙特利尔|Ottawa:渥太华|Quebec City:魁北克
America/Havana -240 Havana:哈瓦那
America/Port-au-Prince -240 Port-au-Prince:太子港
America/Caracas -240 Caracas:加拉加斯
America/La_Paz -240 La Paz:拉巴斯
America/Santo_Domingo -240 Santo Domingo:圣多明各
America/Puerto_Rico -240 San Juan:圣胡安
America/Manaus -240 Manaus:马瑙斯
America/Barbados -240 Bridgetown:布里奇敦
America/Halifax -180 Halifax:哈利法克斯
America/Sao_Paulo -180 São Paulo:圣保罗|Rio de Janeiro:里约热内卢|Brasília:巴西利亚|Porto Alegre:阿雷格里港
America/Bahia -180 Salvador:萨尔瓦多
America/Fortaleza -180 Fortaleza:福塔莱萨
America/Argentina/Buenos_Aires -180 Buenos Aires:布宜诺斯艾利斯|Rosario:罗萨里奥
America/Argentina/Cordoba -180 Córdoba:科尔多瓦
America/Montevideo -180 Montevideo:蒙得维的亚
America/Santiago -180 Santiago:圣地亚哥|Valparaíso:瓦尔帕莱索
America/Asuncion -180 Asunción:亚松森
America/St_Johns -150 St John's:圣约翰斯
America/Noronha -120 Fernando de Noronha:费尔南多-迪诺罗尼亚
America/Nuuk -120 Nuuk:努克
Atlantic/Cape_Verde -60 Praia:普拉亚
Atlantic/Azores -60 Ponta Delgada:蓬塔德尔加达
UTC 0 UTC:协调世界时
Europe/London 0 London:伦敦|Edinburgh:爱丁堡|Manchester:曼彻斯特|Liverpool:利物浦|Glasgow:格拉斯哥|Cardiff:加的夫|Belfast:贝尔法斯特
Europe/Dublin 0 Dublin:都柏林|Cork:科克
Europe/Lisbon 0 Lisbon:里斯本|Porto:波尔图
Atlantic/Reykjavik 0 Reykjavik:雷克雅未克
Atlantic/Canary 0 Las Palmas:拉斯帕尔马斯
Africa/Casablanca 0 Casablanca:卡萨布兰卡|Marrakesh:马拉喀什
Africa/Accra 0 Accra:阿克拉
Africa/Dakar 0 Dakar:达喀尔
Africa/Abidjan 0 Abidjan:阿比让
Europe/Paris 60 Paris:巴黎|Lyon:里昂|Marseille:马赛|Nice:尼斯|Toulouse:图卢兹
Europe/Berlin 60 Berlin:柏林|Munich:慕尼黑|Hamburg:汉堡|Frankfurt:法兰克福|Cologne:科隆|Stuttgart:斯图加特
Europe/Madrid 60 Madrid:马德里|Barcelona:巴塞罗那|Valencia:瓦伦西亚|Seville:塞维利亚
Europe/Rome 60 Rome:罗马|Milan:米兰|Naples:那不勒斯|Florence:佛罗伦萨|Venice:威尼斯|Turin:都灵
Europe/Amsterdam 60 Amsterdam:阿姆斯特丹|Rotterdam:鹿特丹
Europe/Brussels 60 Brussels:布鲁塞尔|Antwerp:安特卫普
Europe/Vienna 60 Vienna:维也纳|Salzburg:萨尔茨堡
Europe/Zurich 60 Zurich:苏黎世|Geneva:日内瓦|Basel:巴塞尔
Europe/Stockholm 60 Stockholm:斯德哥尔摩|Gothenburg:哥德堡
Europe/Oslo 60 Oslo:奥斯陆|Bergen:卑尔根
Europe/Copenhagen 60 Copenhagen:哥本哈根
Europe/Prague 60 Prague:布拉格
Europe/Warsaw 60 Warsaw:华沙|Kraków:克拉科夫
Europe/Budapest 60 Budapest:布达佩斯
Europe/Belgrade 60 Belgrade:贝尔格莱德
Europe/Zagreb 60 Zagreb:萨格勒布
Europe/Luxembourg 60 Luxembourg:卢森堡
Europe/Malta 60 Valletta:瓦莱塔
Africa/Lagos 60 Lagos:拉各斯|Abuja:阿布贾
Africa/Algiers 60 Algiers:阿尔及尔
Africa/Tunis 60 Tunis:突尼斯
Africa/Kinshasa 60 Kinshasa:金沙萨
Europe/Athens 120 Athens:雅典|Thessaloniki:塞萨洛尼基
Europe/Helsinki 120 Helsinki:赫尔辛基
Europe/Kyiv 120 Kyiv:基辅|Lviv:利沃夫
Europe/Bucharest 120 Bucharest:布加勒斯特
Europe/Sofia 120 Sofia:索非亚
Europe/Vilnius 120 Vilnius:维尔纽斯
Europe/Riga 120 Riga:里加
Europe/Tallinn 120 Tallinn:塔林
Asia/Jerusalem 120 Jerusalem:耶路撒冷|Tel Aviv:特拉维夫
Asia/Beirut 120 Beirut:贝鲁特
Asia/Nicosia 120 Nicosia:尼科西亚
Africa/Cairo 120 Cairo:开罗|Alexandria:亚历山大
Africa/Johannesburg 120 Johannesburg:约翰内斯堡|Cape Town:开普敦|Durban:德班
Africa/Harare 120 Harare:哈拉雷
Africa/Lusaka 120 Lusaka:卢萨卡
Africa/Maputo 120 Maputo:马普托
Europe/Istanbul 180 Istanbul:伊斯坦布尔|Ankara:安卡拉|Izmir:伊兹密尔
Europe/Moscow 180 Moscow:莫斯科|Saint Petersburg:圣彼得堡
Europe/Minsk 180 Minsk:明斯克
Asia/Riyadh 180 Riyadh:利雅得|Jeddah:吉达
Asia/Baghdad 180 Baghdad:巴格达
Asia/Kuwait 180 Kuwait City:科威特城
Asia/Qatar 180 Doha:多哈
Asia/Amman 180 Amman:安曼
Africa/Nairobi 180 Nairobi:内罗毕|Mombasa:蒙巴萨
Africa/Addis_Ababa 180 Addis Ababa:亚的斯亚贝巴
Africa/Kampala 180 Kampala:坎帕拉
Indian/Antananarivo 180 Antananarivo:塔那那利佛
Asia/Tehran 210 Tehran:德黑兰|Isfahan:伊斯法罕
Asia/Dubai 240 Dubai:迪拜|Abu Dhabi:阿布扎比
Asia/Muscat 240 Muscat:马斯喀特
Asia/Baku 240 Baku:巴库
Asia/Tbilisi 240 Tbilisi:第比利斯
Asia/Yerevan 240 Yerevan:埃里温
Indian/Mauritius 240 Port Louis:路易港
Asia/Kabul 270 Kabul:喀布尔
Asia/Karachi 300 Karachi:卡拉奇|Lahore:拉合尔|Islamabad:伊斯兰堡
Asia/Tashkent 300 Tashkent:塔什干|Samarkand:撒马尔罕
Asia/Almaty 300 Almaty:阿拉木图|Astana:阿斯塔纳
Asia/Yekaterinburg 300 Yekaterinburg:叶卡捷琳堡
Indian/Maldives 300 Malé:马累
Asia/Kolkata 330 Delhi:德里|Mumbai:孟买|Bengaluru:班加罗尔|Chennai:金奈|Kolkata:加尔各答|Hyderabad:海得拉巴|Pune:浦那|Jaipur:斋浦尔
Asia/Colombo 330 Colombo:科伦坡
Asia/Kathmandu 345 Kathmandu:加德满都
Asia/Dhaka 360 Dhaka:达卡|Chittagong:吉大港
Asia/Thimphu 360 Thimphu:廷布
Asia/Bishkek 360 Bishkek:比什凯克
Asia/Omsk 360 Omsk:鄂木斯克
Asia/Yangon 390 Yangon:仰光
Asia/Bangkok 420 Bangkok:曼谷|Chiang Mai:清迈|Phuket:普吉
Asia/Ho_Chi_Minh 420 Ho Chi Minh City:胡志明市|Hanoi:河内|Da Nang:岘港
Asia/Jakarta 420 Jakarta:雅加达|Bandung:万隆
Asia/Phnom_Penh 420 Phnom Penh:金边
Asia/Vientiane 420 Vientiane:万象
Asia/Novosibirsk 420 Novosibirsk:新西伯利亚
Asia/Shanghai 480 Beijing:北京|Shanghai:上海|Guangzhou:广州|Shenzhen:深圳|Chengdu:成都|Hangzhou:杭州|Wuhan:武汉|Xi'an:西安|Nanjing:南京|Chongqing:重庆|Tianjin:天津|Qingdao:青岛|Harbin:哈尔滨|Kunming:昆明
Asia/Hong_Kong 480 Hong Kong:香港
Asia/Macau 480 Macau:澳门
Asia/Taipei 480 Taipei:台北|Kaohsiung:高雄
Asia/Singapore 480 Singapore:新加坡
Asia/Kuala_Lumpur 480 Kuala Lumpur:吉隆坡|Penang:槟城
Asia/Manila 480 Manila:马尼拉|Cebu:宿务
Asia/Makassar 480 Denpasar:登巴萨
Asia/Ulaanbaatar 480 Ulaanbaatar:乌兰巴托
Australia/Perth 480 Perth:珀斯
Asia/Tokyo 540 Tokyo:东京|Osaka:大阪|Kyoto:京都|Sapporo:札幌|Nagoya:名古屋|Fukuoka:福冈|Yokohama:横滨
Asia/Seoul 540 Seoul:首尔|Busan:釜山|Incheon:仁川
Asia/Pyongyang 540 Pyongyang:平壤
Australia/Darwin 570 Darwin:达尔文
Australia/Brisbane 600 Brisbane:布里斯班|Gold Coast:黄金海岸
Asia/Vladivostok 600 Vladivostok:符拉迪沃斯托克
Pacific/Guam 600 Hagåtña:阿加尼亚
Pacific/Port_Moresby 600 Port Moresby:莫尔兹比港
Australia/Adelaide 630 Adelaide:阿德莱德
Australia/Sydney 660 Sydney:悉尼|Canberra:堪培拉|Newcastle:纽卡斯尔
Australia/Melbourne 660 Melbourne:墨尔本|Geelong:吉朗
Australia/Hobart 660 Hobart:霍巴特
Pacific/Noumea 660 Nouméa:努美阿
Pacific/Guadalcanal 660 Honiara:霍尼亚拉
Pacific/Fiji 720 Suva:苏瓦
Pacific/Majuro 720 Majuro:马朱罗
Pacific/Auckland 780 Auckland:奥克兰|Wellington:惠灵顿|Christchurch:基督城|Queenstown:皇后镇
Pacific/Tongatapu 780 Nukuʻalofa:努库阿洛法
Pacific/Apia 780 Apia:阿皮亚
Pacific/Kiritimati 840 Kiritimati:圣诞岛`

/** Every zone, from west to east: {id, offset in minutes, cities: [{en, zh}]}. */
export const timeZones = table.trim().split("\n").map((line) => {
  const [, id, offset, cities] = line.match(/^(\S+) (-?\d+) (.*)$/)
  return { id, offset: Number(offset), cities: cities.split("|").map((pair) => ({ en: pair.split(":")[0], zh: pair.split(":")[1] })) }
})

const byId = new Map(timeZones.map((zone) => [zone.id, zone]))

/** Minutes to add to UTC; a zone we do not know counts as UTC. */
export const offsetMinutes = (id) => byId.get(id)?.offset ?? 0

/** "GMT+05:30". */
export function offsetText(minutes) {
  const size = Math.abs(minutes)
  return `GMT${minutes < 0 ? "-" : "+"}${String(Math.floor(size / 60)).padStart(2, "0")}:${String(size % 60).padStart(2, "0")}`
}
