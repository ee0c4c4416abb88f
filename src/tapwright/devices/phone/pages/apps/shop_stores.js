/** The shop's stores near the phone: whoever looks at them has let the shop know where that is. */

import { glyphs, icon, list, row, text } from "../kit.js"
import { address } from "../names.js"

const COUNT = 9

export function seedStores(random, language) {
  return Array.from({ length: COUNT }, (_, index) => ({ id: index + 1, address: address(random, language), metres: random.int(30, 900) * 10, closes: `${random.int(18, 22)}:00` }))
}

const distance = (ctx, metres) => (metres < 1000 ? ctx.t(`${metres} m`, `${metres} 米`) : ctx.t(`${(metres / 1000).toFixed(1)} km`, `${(metres / 1000).toFixed(1)} 公里`))

export function storesScreen(ctx) {
  const { state } = ctx
  const items = [...state.stores].sort((one, other) => one.metres - other.metres || one.id - other.id)
  const take = (store) => {
    state.my_store = store.id
    ctx.log(`store_chosen id=${store.id}`)
    ctx.toast(ctx.t("This is your store now", "已设为您的门店"))
  }
  return {
    title: ctx.t("Stores near me", "附近门店"),
    body: list({
      id: "stores_list", items, rowHeight: 72, header: text(ctx.t("Tap a store to make it yours.", "点击门店即可设为您的门店。"), { color: "var(--muted)" }),
      row: (store) => row({
        id: "store", icon: glyphs.location, title: store.address, subtitle: `${distance(ctx, store.metres)} · ${ctx.t(`open until ${store.closes}`, `营业至 ${store.closes}`)}`,
        trailing: state.my_store === store.id ? icon(glyphs.check) : undefined, onTap: () => take(store),
      }),
    }),
  }
}
