/** What the shop's screens share: money, names, product rows and the sums of the cart. */

import { glyphs, h, icon, iconButton } from "../kit.js"
import { categories, colors, coupons, deliveries, payments } from "./shop_data.js"
import { picture } from "./shop_pictures.js"

export const quote = JSON.stringify
const marketOf = (ctx) => (ctx.state.currency === "CNY" ? "zh" : "en")

/** An amount of cents in the money the shop was stocked in: "$1,299.00", "¥84.00". */
export function money(ctx, cents) {
  const [whole, rest] = (Math.abs(cents) / 100).toFixed(2).split(".")
  return `${cents < 0 ? "-" : ""}${ctx.state.currency === "CNY" ? "¥" : "$"}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${rest}`
}

export const named = (ctx, one) => ctx.t(one.en, one.zh)
export const productOf = (ctx, id) => ctx.state.products.find((one) => one.id === id)
export const categoryOf = (product) => categories.find((one) => one.id === product.category)
export const colorName = (ctx, id) => named(ctx, colors[id])
export const deliveryName = (ctx, id) => named(ctx, deliveries[id])
export const paymentName = (ctx, id) => named(ctx, payments[id])
/** Street and city in the order the phone's language writes them. */
export const placeText = (ctx, address) => ctx.t(`${address.street}, ${address.city}`, `${address.city} ${address.street}`)
export const statusName = (ctx, status) => ({
  processing: ctx.t("Processing", "处理中"), shipped: ctx.t("Shipped", "已发货"), delivered: ctx.t("Delivered", "已送达"), cancelled: ctx.t("Cancelled", "已取消"),
})[status]

export const pictureOf = (product, height, color = product.colors[0]) => picture(product.kind, color, categoryOf(product).tint, height)

/** "Navy, M" or "Navy". */
export const variantText = (ctx, line) => [colorName(ctx, line.color), line.size].filter(Boolean).join(ctx.t(", ", "，"))

/** Filled star, rating and how many rated. */
export const ratingLine = (product) => h("div", { style: { display: "flex", alignItems: "center", gap: "4px", fontSize: "calc(13px * var(--scale))", color: "var(--muted)" } },
  icon(glyphs.starFilled, { size: 15, color: "#f2a600" }), `${product.rating.toFixed(1)} (${product.reviews})`)

export const priceLine = (ctx, product, size = 16) => h("div", { style: { display: "flex", alignItems: "baseline", gap: "8px" } },
  h("span", { style: { fontSize: `calc(${size}px * var(--scale))`, fontWeight: 600, color: product.was ? "var(--danger)" : "inherit" } }, money(ctx, product.price)),
  product.was ? h("span", { style: { fontSize: "calc(12.5px * var(--scale))", color: "var(--muted)", textDecoration: "line-through" } }, money(ctx, product.was)) : null)

const clipped = { whiteSpace: "nowrap", overflow: "hidden", textOverflow: "ellipsis" }

/** A product in a list: picture, name, rating, price, and the heart. */
export function productRow(ctx, product) {
  return h("div", { id: "product", role: "button", onTap: () => ctx.go("product", { id: product.id }), style: { display: "flex", alignItems: "center", gap: "14px", padding: "0 4px 0 16px" } },
    h("div", { style: { width: "92px", flex: "none", borderRadius: "12px", overflow: "hidden" } }, pictureOf(product, 92)),
    h("div", { style: { flex: 1, minWidth: 0, display: "flex", flexDirection: "column", gap: "2px" } },
      h("div", { class: "row-title" }, product.name),
      h("div", { class: "row-subtitle" }, product.stock ? product.brand : `${product.brand} · ${ctx.t("Sold out", "已售罄")}`),
      ratingLine(product), priceLine(ctx, product)),
    heart(ctx, product))
}

/** A product in a two-column grid. */
export function productTile(ctx, product) {
  return h("div", { id: "product", role: "button", onTap: () => ctx.go("product", { id: product.id }), style: { background: "var(--surface)", borderRadius: "14px", overflow: "hidden", paddingBottom: "10px", minWidth: 0 } },
    pictureOf(product, 120),
    h("div", { style: { padding: "8px 12px 0" } }, h("div", { style: { ...clipped, fontSize: "calc(14px * var(--scale))" } }, product.name), priceLine(ctx, product)))
}

export function heart(ctx, product) {
  const wished = ctx.state.wishlist.includes(product.id)
  return iconButton({
    id: "wish", glyph: wished ? glyphs.heartFilled : glyphs.heart, color: wished ? "#d93025" : "var(--muted)",
    label: wished ? ctx.t("Remove from wish list", "移出心愿单") : ctx.t("Add to wish list", "加入心愿单"), onTap: () => setWished(ctx, product, !wished),
  })
}

function setWished(ctx, product, wished) {
  ctx.state.wishlist = wished ? [product.id, ...ctx.state.wishlist] : ctx.state.wishlist.filter((id) => id !== product.id)
  ctx.log(`wishlist_${wished ? "added" : "removed"} product=${product.id} name=${quote(product.name)}`)
  ctx.toast(wished ? ctx.t("Added to wish list", "已加入心愿单") : ctx.t("Removed from wish list", "已移出心愿单"))
}

/** The cart in an app bar, with how many pieces lie in it. */
export function cartButton(ctx) {
  const count = ctx.state.cart.reduce((sum, line) => sum + line.quantity, 0)
  return h("button", { class: "icon-button", id: "cart", label: ctx.t(`Cart, ${count} items`, `购物车，${count}件`), onTap: () => ctx.go("cart"), style: { position: "relative" } },
    icon(glyphs.cart),
    count ? h("span", { style: {
      position: "absolute", top: "4px", right: "2px", minWidth: "18px", height: "18px", padding: "0 4px", borderRadius: "9px", background: "#d93025", color: "#fff", fontSize: "11px", lineHeight: "18px", textAlign: "center",
    } }, String(count)) : null)
}

export const feeOf = (ctx, delivery) => deliveries[delivery].fee[marketOf(ctx)]

/** Why a coupon does not apply to this subtotal, or null when it does. */
export function couponProblem(ctx, code, subtotal) {
  const coupon = coupons[code]
  if (!coupon) return ctx.t("This code does not exist", "优惠码不存在")
  const least = coupon.least[marketOf(ctx)]
  return subtotal < least ? ctx.t(`Needs an order of ${money(ctx, least)}`, `需满 ${money(ctx, least)}`) : null
}

/** The sums of the cart in cents; `delivery` null leaves the fee out. A coupon the cart no longer earns counts for nothing. */
export function totals(ctx, delivery) {
  const { cart, coupon: code } = ctx.state
  const subtotal = cart.reduce((sum, line) => sum + productOf(ctx, line.product).price * line.quantity, 0)
  const coupon = code && !couponProblem(ctx, code, subtotal) ? coupons[code] : {}
  const discount = coupon.percent ? Math.round(subtotal * coupon.percent / 100) : coupon.off?.[marketOf(ctx)] ?? 0
  const fee = delivery && !coupon.free ? feeOf(ctx, delivery) : 0
  return { subtotal, discount, fee, total: subtotal - discount + fee }
}

/** A line of sums: what on the left, how much on the right. */
export const sumLine = (id, title, amount, strong) =>
  h("div", { id, style: { display: "flex", justifyContent: "space-between", padding: "4px 16px", fontWeight: strong ? 600 : 400, fontSize: strong ? "calc(17px * var(--scale))" : "calc(14.5px * var(--scale))" } }, h("span", null, title), h("span", null, amount))

export function sumLines(ctx, { subtotal, discount, fee, total }, withFee) {
  return [
    sumLine("subtotal", ctx.t("Subtotal", "小计"), money(ctx, subtotal)),
    discount ? sumLine("discount", ctx.t("Discount", "优惠"), money(ctx, -discount)) : null,
    withFee ? sumLine("fee", ctx.t("Delivery", "运费"), fee ? money(ctx, fee) : ctx.t("Free", "免费")) : null,
    sumLine("total", ctx.t("Total", "合计"), money(ctx, total), true),
  ]
}
