/** The customer's own corner of the shop: account, wish list, addresses and coupons. */

import { button, card, fab, field, glyphs, h, icon, iconButton, list, radio, row, scroll } from "../kit.js"
import { coupons } from "./shop_data.js"
import { couponProblem, named, placeText, productOf, productRow, quote, totals } from "./shop_parts.js"

export function accountScreen(ctx) {
  const { state } = ctx
  const pieces = state.cart.reduce((sum, line) => sum + line.quantity, 0)
  const link = (id, glyph, title, count, screen) => row({ id, icon: glyph, title, trailing: h("span", { class: "trailing-text", style: { display: "flex", alignItems: "center", gap: "6px" } }, String(count), icon(glyphs.next, { size: 16 })), onTap: () => ctx.go(screen) })
  return {
    title: ctx.t("Account", "账户"),
    body: scroll({ id: "account_page" },
      row({ id: "profile", avatar: state.addresses[0]?.name ?? "?", title: state.addresses[0]?.name ?? "", subtitle: ctx.t("Member since 2021", "2021年加入") }),
      card({ style: { padding: "4px 0" } },
        link("orders", glyphs.bag, ctx.t("Orders", "我的订单"), state.orders.length, "orders"),
        link("wishlist", glyphs.heart, ctx.t("Wish list", "心愿单"), state.wishlist.length, "wishlist"),
        link("cart", glyphs.cart, ctx.t("Cart", "购物车"), pieces, "cart"),
        link("addresses", glyphs.location, ctx.t("Addresses", "收货地址"), state.addresses.length, "addresses"),
        link("coupons", glyphs.label, ctx.t("Coupons", "优惠券"), Object.keys(coupons).length, "coupons"))),
  }
}

export function wishlistScreen(ctx) {
  return {
    title: ctx.t("Wish list", "心愿单"),
    body: list({ id: "wishes", items: ctx.state.wishlist.map((id) => productOf(ctx, id)), rowHeight: 112, row: (product) => productRow(ctx, product), empty: ctx.t("Nothing on your wish list", "心愿单是空的") }),
  }
}

export function couponsScreen(ctx) {
  const { subtotal } = totals(ctx, null)
  const use = (code) => {
    const problem = couponProblem(ctx, code, subtotal)
    if (problem) return ctx.toast(problem)
    ctx.state.coupon = code
    ctx.log(`coupon_applied code=${code}`)
    ctx.toast(ctx.t("Coupon applied to your cart", "优惠码已用于购物车"))
  }
  return {
    title: ctx.t("Coupons", "优惠券"),
    body: scroll({ id: "coupons_page" }, Object.entries(coupons).map(([code, coupon]) => row({
      id: "coupon", icon: glyphs.label, title: code, subtitle: named(ctx, coupon),
      trailing: ctx.state.coupon === code ? ctx.t("In use", "使用中") : button({ id: `use_${code}`, text: ctx.t("Use", "使用"), onTap: () => use(code) }),
    }))),
  }
}

/** The addresses; with `choose`, a tap takes one for the order and goes back. */
export function addressesScreen(ctx, params) {
  const { addresses } = ctx.state
  const take = (address) => {
    ctx.state.address = address.id
    ctx.log(`address_chosen id=${address.id}`)
    if (params?.choose) ctx.back()
    else ctx.redraw()
  }
  return {
    title: params?.choose ? ctx.t("Choose an address", "选择地址") : ctx.t("Addresses", "收货地址"),
    body: list({
      id: "addresses", items: addresses, rowHeight: 76, empty: ctx.t("No address yet", "还没有地址"),
      row: (address) => row({
        id: "address", icon: radio({ id: "address_radio", value: ctx.state.address === address.id }),
        title: `${address.label} · ${address.name}`, subtitle: placeText(ctx, address), onTap: () => take(address),
        trailing: iconButton({ id: "edit_address", glyph: glyphs.edit, label: ctx.t(`Edit ${address.label}`, `编辑${address.label}`), size: 22, onTap: () => ctx.go("address", { id: address.id }) }),
      }),
    }),
    actions: params?.choose ? null : [iconButton({ id: "stores", glyph: glyphs.location, label: ctx.t("Stores near me", "附近门店"), onTap: () => ctx.permit("location", () => ctx.go("stores")) })],
    fab: fab({ id: "add_address", glyph: glyphs.add, label: ctx.t("New address", "新建地址"), onTap: () => ctx.go("address", {}) }),
  }
}

export function addressScreen(ctx, { id }) {
  const address = ctx.state.addresses.find((one) => one.id === id)
  ctx.ui.draft ??= address ? { ...address } : { label: "", name: ctx.state.addresses[0]?.name ?? "", phone: "", street: "", city: "" }
  const { draft } = ctx.ui
  const entry = (name, label, type) => field({ id: `address_${name}`, label, type, value: draft[name], onInput: (value) => { draft[name] = value } })
  const save = () => {
    for (const name of ["label", "name", "phone", "street", "city"]) draft[name] = draft[name].trim()
    if (!draft.name || !draft.street || !draft.city) return ctx.toast(ctx.t("Name, street and city are needed", "请填写姓名、街道和城市"))
    draft.label ||= ctx.t("Other", "其他")
    if (address) Object.assign(address, draft)
    else ctx.state.addresses.push({ id: 1 + Math.max(0, ...ctx.state.addresses.map((one) => one.id)), ...draft })
    const saved = address ?? ctx.state.addresses.at(-1)
    if (!address) ctx.state.address = saved.id
    ctx.log(`address_saved id=${saved.id} label=${quote(saved.label)} street=${quote(saved.street)} city=${quote(saved.city)}`)
    ctx.back()
    ctx.toast(ctx.t("Address saved", "地址已保存"))
  }
  const remove = () => {
    ctx.state.addresses.splice(ctx.state.addresses.indexOf(address), 1)
    if (ctx.state.address === address.id) ctx.state.address = ctx.state.addresses[0]?.id ?? null
    ctx.log(`address_deleted id=${address.id}`)
    ctx.back()
    ctx.toast(ctx.t("Address deleted", "地址已删除"))
  }
  return {
    title: address ? ctx.t("Edit address", "编辑地址") : ctx.t("New address", "新建地址"),
    actions: [
      address ? iconButton({ id: "delete_address", glyph: glyphs.delete, label: ctx.t("Delete address", "删除地址"), onTap: remove }) : null,
      h("div", { style: { paddingRight: "12px" } }, button({ id: "save_address", text: ctx.t("Save", "保存"), primary: true, onTap: save })),
    ],
    body: scroll({ id: "address_form" },
      entry("label", ctx.t("Label (Home, Work …)", "标签（家、公司等）")), entry("name", ctx.t("Name", "姓名")), entry("phone", ctx.t("Phone", "电话"), "tel"),
      entry("street", ctx.t("Street and number", "街道门牌")), entry("city", ctx.t("City", "城市"))),
  }
}
