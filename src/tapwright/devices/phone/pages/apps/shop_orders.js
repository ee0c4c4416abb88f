/** Paying and afterwards: the cart, the checkout, and the orders. */

import { button, card, chip, column, empty, field, glyphs, h, icon, list, radio, row, scroll, section, stepper, text, textArea, iconButton } from "../kit.js"
import { deliveries, payments } from "./shop_data.js"
import {
  couponProblem, deliveryName, feeOf, money, paymentName, pictureOf, placeText, productOf, quote, statusName, sumLines, totals, variantText,
} from "./shop_parts.js"
import { shortDay } from "./short_dates.js"

const DAY = 86400000
const MOST_PER_LINE = 9
const statusColors = { processing: "var(--primary)", shipped: "#b06000", delivered: "#188038", cancelled: "var(--danger)" }

/** Picture, name and variant of an ordered or wanted piece; `below` goes under them. */
function pieceLine(ctx, id, line, below) {
  const product = productOf(ctx, line.product)
  return h("div", { id, style: { display: "flex", gap: "14px", padding: "8px 16px" } },
    h("div", { id: "picture", role: "button", label: product.name, style: { width: "76px", height: "76px", flex: "none", borderRadius: "12px", overflow: "hidden" }, onTap: () => ctx.go("product", { id: product.id }) }, pictureOf(product, 76, line.color)),
    h("div", { style: { flex: 1, minWidth: 0 } },
      h("div", { class: "row-title" }, product.name), h("div", { class: "row-subtitle" }, variantText(ctx, line)), below))
}

function cartLine(ctx, line) {
  const product = productOf(ctx, line.product)
  const change = (quantity) => {
    line.quantity = quantity
    ctx.log(`cart_changed product=${line.product} quantity=${quantity}`)
    ctx.redraw()
  }
  const remove = () => {
    ctx.state.cart.splice(ctx.state.cart.indexOf(line), 1)
    ctx.log(`cart_removed product=${line.product}`)
    ctx.toast(ctx.t("Removed from cart", "已从购物车移除"))
  }
  return pieceLine(ctx, "cart_line", line, h("div", { style: { display: "flex", flexWrap: "wrap", alignItems: "center", gap: "8px", marginTop: "4px" } },
    h("span", { style: { flex: "1 0 auto", fontWeight: 600 } }, money(ctx, product.price * line.quantity)),
    h("div", { style: { display: "flex", alignItems: "center", gap: "8px", marginLeft: "auto" } },
      stepper({ id: "quantity", label: ctx.t("Quantity", "数量"), value: line.quantity, min: 1, max: Math.min(MOST_PER_LINE, product.stock), onChange: change }),
      iconButton({ id: "remove", glyph: glyphs.delete, label: ctx.t(`Remove ${product.name}`, `移除${product.name}`), onTap: remove, size: 22 }))))
}

export function cartScreen(ctx) {
  const { cart, coupon } = ctx.state
  ctx.ui.code ??= ""
  if (!cart.length) {
    return { title: ctx.t("Cart", "购物车"), body: scroll({ id: "cart_page" }, empty(ctx.t("Your cart is empty", "购物车是空的")), h("div", { style: { textAlign: "center" } }, button({ id: "go_shopping", text: ctx.t("Go shopping", "去逛逛"), onTap: () => ctx.go("home") }))) }
  }
  const sums = totals(ctx, null)
  const apply = () => {
    const code = ctx.ui.code.trim().toUpperCase()
    const problem = couponProblem(ctx, code, sums.subtotal)
    if (problem) return ctx.toast(problem)
    ctx.state.coupon = code
    ctx.ui.code = ""
    ctx.log(`coupon_applied code=${code}`)
    ctx.toast(ctx.t("Coupon applied", "优惠码已使用"))
  }
  const drop = () => {
    ctx.state.coupon = null
    ctx.log(`coupon_removed code=${coupon}`)
    ctx.redraw()
  }
  return {
    title: ctx.t("Cart", "购物车"),
    body: column(
      scroll({ id: "cart_page" },
        cart.map((line) => cartLine(ctx, line)),
        section(ctx.t("Coupon", "优惠码")),
        coupon
          ? row({ id: "coupon", icon: glyphs.label, title: coupon, subtitle: couponProblem(ctx, coupon, sums.subtotal) ?? undefined, trailing: button({ id: "remove_coupon", text: ctx.t("Remove", "移除"), onTap: drop }) })
          : h("div", { style: { display: "flex", alignItems: "center", paddingRight: "16px" } },
            h("div", { style: { flex: 1 } }, field({ id: "coupon_code", placeholder: ctx.t("Coupon code", "输入优惠码"), value: ctx.ui.code, onInput: (value) => { ctx.ui.code = value }, onEnter: apply })),
            button({ id: "apply_coupon", text: ctx.t("Apply", "使用"), onTap: apply })),
        section(ctx.t("Sum", "金额")),
        sumLines(ctx, sums, false)),
      h("div", { class: "bottom-bar" },
        h("div", { style: { flex: 1, fontSize: "calc(20px * var(--scale))", fontWeight: 600 } }, money(ctx, sums.total)),
        button({ id: "checkout", text: ctx.t("Checkout", "去结算"), primary: true, onTap: () => ctx.go("checkout") }))),
  }
}

export function checkoutScreen(ctx) {
  ctx.ui.delivery ??= "standard"
  ctx.ui.payment ??= "card"
  const address = ctx.state.addresses.find((one) => one.id === ctx.state.address) ?? ctx.state.addresses[0]
  const sums = totals(ctx, ctx.ui.delivery)
  const choice = (name, value, title, subtitle) => {
    const pick = () => { ctx.ui[name] = value; ctx.redraw() }
    const chosen = ctx.ui[name] === value
    return row({ id: `${name}_${value}`, title, subtitle, checked: undefined, onTap: pick, trailing: radio({ id: `${name}_${value}_radio`, value: chosen }) })
  }
  return {
    title: ctx.t("Checkout", "结算"),
    body: column(
      scroll({ id: "checkout_page" },
        section(ctx.t("Deliver to", "收货地址")),
        row({ id: "address", icon: glyphs.location, title: address ? `${address.label} · ${address.name}` : ctx.t("Add an address", "添加地址"), subtitle: address ? placeText(ctx, address) : undefined, lines: 2, trailing: icon(glyphs.next, { size: 18 }), onTap: () => ctx.go("addresses", { choose: true }) }),
        section(ctx.t("Delivery", "配送方式")),
        Object.keys(deliveries).map((id) => choice("delivery", id, deliveryName(ctx, id), `${feeOf(ctx, id) ? money(ctx, feeOf(ctx, id)) : ctx.t("Free", "免费")} · ${ctx.t(`by ${shortDay(ctx, ctx.now() + deliveries[id].days * DAY)}`, `预计${shortDay(ctx, ctx.now() + deliveries[id].days * DAY)}`)}`)),
        section(ctx.t("Payment", "支付方式")),
        Object.keys(payments).map((id) => choice("payment", id, paymentName(ctx, id))),
        section(ctx.t("Your order", "订单商品")),
        ctx.state.cart.map((line) => pieceLine(ctx, "order_line", line, h("div", null, `${line.quantity} × ${money(ctx, productOf(ctx, line.product).price)}`))),
        sumLines(ctx, sums, true)),
      h("div", { class: "bottom-bar" },
        h("div", { style: { flex: 1, fontSize: "calc(20px * var(--scale))", fontWeight: 600 } }, money(ctx, sums.total)),
        button({ id: "place_order", text: ctx.t("Place order", "提交订单"), primary: true, disabled: !address || !ctx.state.cart.length, onTap: () => placeOrder(ctx, address, sums) }))),
  }
}

function placeOrder(ctx, address, sums) {
  const { state } = ctx
  const order = {
    id: 1 + Math.max(1000, ...state.orders.map((one) => one.id)),
    items: state.cart.map((line) => ({ ...line, price: productOf(ctx, line.product).price })),
    ...sums, coupon: state.coupon, address: { ...address }, delivery: ctx.ui.delivery, payment: ctx.ui.payment, status: "processing", placed: ctx.now(),
  }
  for (const line of state.cart) productOf(ctx, line.product).stock -= line.quantity
  state.orders.push(order)
  state.cart = []
  state.coupon = null
  ctx.log(`order_placed id=${order.id} total=${order.total} delivery=${order.delivery} payment=${order.payment}`)
  ctx.replace("order", { id: order.id, fresh: true })
}

export function ordersScreen(ctx) {
  ctx.ui.status ??= null
  const orders = ctx.state.orders.filter((order) => !ctx.ui.status || order.status === ctx.ui.status).sort((one, other) => other.placed - one.placed)
  return {
    title: ctx.t("Orders", "我的订单"),
    body: column(
      h("div", { class: "chips", id: "statuses", "data-scroll-x": "statuses" }, Object.keys(statusColors).map((status) => chip({ id: `status_${status}`, text: statusName(ctx, status), selected: ctx.ui.status === status, onTap: () => { ctx.ui.status = ctx.ui.status === status ? null : status; ctx.redraw() } }))),
      list({
        id: "orders", items: orders, rowHeight: 76, empty: ctx.t("No orders here", "这里没有订单"),
        row: (order) => row({
          id: "order", icon: glyphs.bag, title: ctx.t(`Order ${order.id}`, `订单 ${order.id}`), onTap: () => ctx.go("order", { id: order.id }),
          subtitle: `${shortDay(ctx, order.placed)} · ${order.items.map((line) => productOf(ctx, line.product).name).join(ctx.t(", ", "、"))}`,
          trailing: h("div", { style: { textAlign: "right" } }, h("div", { style: { color: "var(--text)", fontWeight: 600 } }, money(ctx, order.total)), h("div", { class: "trailing-text", style: { color: statusColors[order.status] } }, statusName(ctx, order.status))),
        }),
      })),
  }
}

export function orderScreen(ctx, { id, fresh }) {
  const order = ctx.state.orders.find((one) => one.id === id)
  return {
    title: ctx.t(`Order ${id}`, `订单 ${id}`),
    body: scroll({ id: "order_page" },
      fresh ? card({ id: "thanks", style: { display: "flex", alignItems: "center", gap: "12px", background: "var(--primary-soft)", color: "var(--on-primary-soft)" } }, icon(glyphs.check), ctx.t("Thank you! Your order is placed.", "谢谢！订单已提交。")) : null,
      row({ id: "status", icon: glyphs.truck, title: statusName(ctx, order.status), subtitle: `${ctx.t("Placed", "下单于")} ${shortDay(ctx, order.placed)} ${ctx.time(order.placed)}` }),
      row({ id: "delivery", icon: glyphs.location, title: deliveryName(ctx, order.delivery), subtitle: `${order.address.name} · ${placeText(ctx, order.address)}`, lines: 2 }),
      row({ id: "payment", icon: glyphs.card, title: paymentName(ctx, order.payment), subtitle: order.coupon ? ctx.t(`Coupon ${order.coupon}`, `优惠码 ${order.coupon}`) : undefined }),
      section(ctx.t("Products", "商品")),
      order.items.map((line) => pieceLine(ctx, "order_line", line, h("div", { style: { display: "flex", alignItems: "center", justifyContent: "space-between" } }, `${line.quantity} × ${money(ctx, line.price)}`,
        order.status === "delivered" ? button({ id: "write_review", text: ctx.t("Review", "评价"), onTap: () => ctx.go("review", { product: line.product }) }) : null))),
      sumLines(ctx, order, true),
      h("div", { style: { display: "flex", gap: "12px", padding: "16px" } },
        order.status === "processing" ? button({ id: "cancel_order", text: ctx.t("Cancel order", "取消订单"), danger: true, onTap: () => askCancel(ctx, order) }) : null,
        button({ id: "order_again", text: ctx.t("Order again", "再次购买"), onTap: () => orderAgain(ctx, order) }))),
  }
}

function askCancel(ctx, order) {
  const cancel = () => {
    order.status = "cancelled"
    for (const line of order.items) productOf(ctx, line.product).stock += line.quantity
    ctx.log(`order_cancelled id=${order.id}`)
    ctx.toast(ctx.t("Order cancelled", "订单已取消"))
  }
  ctx.dialog({
    title: ctx.t("Cancel this order?", "取消此订单？"), body: ctx.t(`Order ${order.id}, ${money(ctx, order.total)}`, `订单 ${order.id}，${money(ctx, order.total)}`),
    buttons: [{ id: "keep", text: ctx.t("Keep it", "保留") }, { id: "confirm", text: ctx.t("Cancel order", "取消订单"), primary: true, danger: true, onTap: cancel }],
  })
}

function orderAgain(ctx, order) {
  for (const { product, quantity, color, size } of order.items) {
    const line = ctx.state.cart.find((one) => one.product === product && one.color === color && one.size === size)
    const most = Math.min(MOST_PER_LINE, productOf(ctx, product).stock)
    if (line) line.quantity = Math.min(most, line.quantity + quantity)
    else if (most > 0) ctx.state.cart.push({ product, quantity: Math.min(most, quantity), color, size })
    ctx.log(`cart_added product=${product} quantity=${quantity} color=${color} size=${quote(size)}`)
  }
  ctx.go("cart")
}

export function reviewScreen(ctx, { product: id }) {
  const product = productOf(ctx, id)
  ctx.ui.stars ??= 0
  ctx.ui.text ??= ""
  const post = () => {
    if (!ctx.ui.stars) return ctx.toast(ctx.t("Choose how many stars", "请选择星级"))
    ctx.state.reviews.push({ product: id, stars: ctx.ui.stars, text: ctx.ui.text.trim(), at: ctx.now() })
    ctx.log(`review_posted product=${id} stars=${ctx.ui.stars}`)
    ctx.back()
    ctx.toast(ctx.t("Review posted", "评价已发布"))
  }
  return {
    title: ctx.t("Write a review", "写评价"),
    body: scroll({ id: "review_form" },
      text(product.name, { size: 18 }),
      h("div", { style: { display: "flex", padding: "0 8px" } }, [1, 2, 3, 4, 5].map((stars) => iconButton({
        id: `stars_${stars}`, glyph: stars <= ctx.ui.stars ? glyphs.starFilled : glyphs.star, color: "#f2a600", size: 30, label: ctx.t(`${stars} stars`, `${stars}星`), onTap: () => { ctx.ui.stars = stars; ctx.redraw() },
      }))),
      textArea({ id: "review_text", label: ctx.t("Your review", "你的评价"), value: ctx.ui.text, rows: 5, onInput: (value) => { ctx.ui.text = value } }),
      h("div", { style: { padding: "8px 16px" } }, button({ id: "post_review", text: ctx.t("Post", "发布"), primary: true, onTap: post }))),
  }
}
