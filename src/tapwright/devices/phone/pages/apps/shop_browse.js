/** Finding something to buy: the shop's front, its categories, its search, and one product. */

import { button, card, chip, chips, column, field, glyphs, h, icon, iconButton, list, row, scroll, section, stepper, text } from "../kit.js"
import { categories, colors, coupons, reviewsOf } from "./shop_data.js"
import { cartButton, categoryOf, colorName, heart, named, pictureOf, priceLine, productOf, productRow, productTile, quote, ratingLine } from "./shop_parts.js"
import { picture } from "./shop_pictures.js"
import { shortDay } from "./short_dates.js"

const MAX_RECENT = 6
const MOST_PER_LINE = 9

const sorts = {
  popular: { en: "Most popular", zh: "最受欢迎", compare: (one, other) => other.reviews - one.reviews },
  price_low: { en: "Price: low to high", zh: "价格从低到高", compare: (one, other) => one.price - other.price },
  price_high: { en: "Price: high to low", zh: "价格从高到低", compare: (one, other) => other.price - one.price },
  rating: { en: "Best rated", zh: "评分最高", compare: (one, other) => other.rating - one.rating },
}
const filters = {
  sale: { en: "On sale", zh: "促销", keeps: (product) => product.was !== null },
  rated: { en: "4.5 and up", zh: "4.5分以上", keeps: (product) => product.rating >= 4.5 },
  stock: { en: "In stock", zh: "有货", keeps: (product) => product.stock > 0 },
}

const sortButton = (ctx) => iconButton({ id: "sort", glyph: glyphs.sort, label: ctx.t("Sort", "排序"), onTap: () => ctx.menu(Object.entries(sorts).map(([id, sort]) => ({
  id: `sort_${id}`, text: named(ctx, sort), checked: ctx.ui.sort === id, onTap: () => { ctx.ui.sort = id; ctx.redraw() },
}))) })

const inOrder = (ctx, products) => [...products].sort((one, other) => sorts[ctx.ui.sort].compare(one, other) || one.id - other.id)

/** Chips that narrow a list; each flips its own filter in ctx.ui.filters. */
const filterChips = (ctx) => Object.entries(filters).map(([id, filter]) => chip({
  id: `filter_${id}`, text: named(ctx, filter), selected: ctx.ui.filters.has(id), onTap: () => {
    if (!ctx.ui.filters.delete(id)) ctx.ui.filters.add(id)
    ctx.redraw()
  },
}))
const passes = (ctx, product) => [...ctx.ui.filters].every((id) => filters[id].keeps(product))

export function homeScreen(ctx) {
  const deals = ctx.state.products.filter((product) => product.was !== null && product.stock > 0).slice(0, 8)
  const bar = h("button", {
    id: "search_bar", class: "field search", onTap: () => ctx.go("search"),
    style: { width: "calc(100% - 32px)", paddingLeft: "14px", textAlign: "left" },
  }, icon(glyphs.search, { size: 20 }), ctx.t("Search 400+ products", "搜索 400 多种商品"))
  const offer = (code, background) => h("div", { id: "offer", role: "button", onTap: () => ctx.go("coupons"), style: { flex: "none", width: "272px", padding: "16px", borderRadius: "16px", background, color: "#fff" } },
    h("div", { style: { fontSize: "calc(18px * var(--scale))", fontWeight: 600 } }, named(ctx, coupons[code])),
    h("div", { style: { marginTop: "4px" } }, ctx.t(`Code ${code}`, `优惠码 ${code}`)))
  return {
    title: ctx.t("Shop", "商城"),
    actions: [
      iconButton({ id: "wishlist", glyph: glyphs.heart, label: ctx.t("Wish list", "心愿单"), onTap: () => ctx.go("wishlist") }),
      cartButton(ctx),
      iconButton({ id: "account", glyph: glyphs.person, label: ctx.t("Account", "账户"), onTap: () => ctx.go("account") }),
    ],
    body: scroll({ id: "shop_front" }, bar,
      h("div", { class: "chips", id: "offers", "data-scroll-x": "offers" }, offer("SPRING10", "#1e6b45"), offer("SAVE15", "#8a3b12"), offer("FREESHIP", "#3b3f8f")),
      section(ctx.t("Categories", "分类")),
      h("div", { style: { display: "grid", gridTemplateColumns: "repeat(4, 1fr)", gap: "12px 8px", padding: "4px 12px" } }, categories.map((category) =>
        h("button", { id: `category_${category.id}`, onTap: () => ctx.go("category", { category: category.id }), style: { display: "flex", flexDirection: "column", alignItems: "center", gap: "6px", minWidth: 0 } },
          h("span", { style: { width: "60px", borderRadius: "18px", overflow: "hidden" } }, picture(category.kinds[0].id, category.colors.find((color) => color !== "white"), category.tint, 60)),
          h("span", { style: { fontSize: "calc(12.5px * var(--scale))" } }, named(ctx, category.name))))),
      section(ctx.t("Today's deals", "今日特惠")),
      h("div", { style: { display: "grid", gridTemplateColumns: "minmax(0, 1fr) minmax(0, 1fr)", gap: "12px", padding: "4px 16px" } }, deals.map((product) => productTile(ctx, product)))),
  }
}

export function categoryScreen(ctx, { category: id, kind }) {
  const category = categories.find((one) => one.id === id)
  ctx.ui.sort ??= "popular"
  ctx.ui.filters ??= new Set()
  ctx.ui.kind ??= kind ?? null
  const shown = ctx.state.products.filter((product) => product.category === id && (!ctx.ui.kind || product.kind === ctx.ui.kind) && passes(ctx, product))
  const flip = (one) => () => {
    ctx.ui.kind = ctx.ui.kind === one ? null : one
    ctx.redraw()
  }
  return {
    title: named(ctx, category.name),
    actions: [sortButton(ctx), cartButton(ctx)],
    body: column(
      chips("kinds", category.kinds.map((one) => chip({ id: `kind_${one.id}`, text: named(ctx, one.name), selected: ctx.ui.kind === one.id, onTap: flip(one.id) }))),
      chips("filters", filterChips(ctx)),
      list({ id: "products", items: inOrder(ctx, shown), rowHeight: 112, row: (product) => productRow(ctx, product), empty: ctx.t("Nothing matches", "没有符合的商品") })),
  }
}

function found(ctx, query) {
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  return ctx.state.products.filter((product) => {
    const text = `${product.name} ${product.brand} ${named(ctx, categoryOf(product).name)}`.toLowerCase()
    return parts.every((part) => text.includes(part))
  })
}

export function searchScreen(ctx, params) {
  ctx.ui.query ??= params?.query ?? ""
  ctx.ui.submitted ??= params?.query ?? ""
  ctx.ui.sort ??= "popular"
  ctx.ui.filters ??= new Set()
  const search = (query) => {
    const submitted = query.trim()
    ctx.ui.query = submitted
    ctx.ui.submitted = submitted
    if (submitted) {
      ctx.state.searches = [submitted, ...ctx.state.searches.filter((one) => one !== submitted)].slice(0, MAX_RECENT)
      ctx.log(`search query=${quote(submitted)} found=${found(ctx, submitted).length}`)
    }
    document.activeElement?.blur()
    ctx.redraw()
  }
  const typed = ctx.ui.query.trim()
  const answered = typed !== "" && typed === ctx.ui.submitted
  const kinds = categories.flatMap((category) => category.kinds.map((kind) => ({ category, kind })))
  const suggested = kinds.filter(({ category, kind }) => typed && [kind.name, category.name].some((name) => named(ctx, name).toLowerCase().includes(typed.toLowerCase())))
  const suggestions = () => scroll({ id: "suggestions" },
    typed ? null : ctx.state.searches.map((query) => row({ id: "recent", icon: glyphs.clock, title: query, onTap: () => search(query) })),
    suggested.slice(0, 6).map(({ category, kind }) => row({ id: "suggestion", icon: glyphs.search, title: named(ctx, kind.name), subtitle: named(ctx, category.name), onTap: () => search(named(ctx, kind.name)) })),
    typed ? found(ctx, typed).slice(0, 4).map((product) => row({ id: "suggested_product", icon: glyphs.bag, title: product.name, subtitle: product.brand, onTap: () => ctx.go("product", { id: product.id }) })) : null,
    typed && !found(ctx, typed).length ? text(ctx.t("No product matches yet", "暂时没有匹配的商品"), { color: "var(--muted)" }) : null)
  const products = answered ? found(ctx, typed).filter((product) => passes(ctx, product)) : []
  return {
    title: field({ id: "search", type: "search", value: ctx.ui.query, placeholder: ctx.t("Search products", "搜索商品"), autofocus: !ctx.ui.submitted, onInput: (value) => { ctx.ui.query = value; ctx.redraw() }, onEnter: search }),
    actions: answered ? [sortButton(ctx)] : [cartButton(ctx)],
    body: answered
      ? column(chips("filters", filterChips(ctx)), text(ctx.t(`${products.length} products`, `${products.length}件商品`), { id: "count", size: 13, color: "var(--muted)" }),
        list({ id: "results", items: inOrder(ctx, products), rowHeight: 112, row: (product) => productRow(ctx, product), empty: ctx.t("Nothing found", "没有找到商品") }))
      : suggestions(),
  }
}

export function productScreen(ctx, { id }) {
  const product = productOf(ctx, id)
  ctx.ui.color ??= product.colors[0]
  ctx.ui.size ??= null
  ctx.ui.quantity ??= 1
  const pick = (name, value) => () => {
    ctx.ui[name] = value
    ctx.redraw()
  }
  const reviews = allReviews(ctx, product)
  return {
    title: product.brand,
    actions: [heart(ctx, product), cartButton(ctx)],
    body: column(
      scroll({ id: "product_page" },
        pictureOf(product, 260, ctx.ui.color),
        text(product.name, { id: "product_name", size: 22, weight: 500 }),
        h("div", { style: { padding: "0 16px 4px", display: "flex", flexDirection: "column", gap: "4px" } }, ratingLine(product), priceLine(ctx, product, 22)),
        text(product.stock ? ctx.t(`${product.stock} in stock`, `库存${product.stock}件`) : ctx.t("Sold out", "已售罄"), { id: "stock", size: 13.5, color: product.stock ? "var(--muted)" : "var(--danger)" }),
        section(ctx.t(`Color: ${colorName(ctx, ctx.ui.color)}`, `颜色：${colorName(ctx, ctx.ui.color)}`)),
        chips("colors", product.colors.map((color) => h("button", { class: `chip ${ctx.ui.color === color ? "selected" : ""}`, id: `color_${color}`, "aria-pressed": String(ctx.ui.color === color), onTap: pick("color", color) },
          h("span", { style: { width: "16px", height: "16px", borderRadius: "50%", background: colors[color].fill, border: "1px solid var(--line)" } }), colorName(ctx, color)))),
        product.sizes.length ? [section(ctx.t("Size", "尺码")), chips("sizes", product.sizes.map((size) => chip({ id: `size_${size}`, text: size, selected: ctx.ui.size === size, onTap: pick("size", size) })))] : null,
        h("div", { style: { display: "flex", alignItems: "center", justifyContent: "space-between", padding: "14px 16px 4px" } },
          h("span", null, ctx.t("Quantity", "数量")),
          stepper({ id: "quantity", label: ctx.t("Quantity", "数量"), value: ctx.ui.quantity, min: 1, max: Math.max(1, Math.min(MOST_PER_LINE, product.stock)), onChange: (value) => pick("quantity", value)() })),
        section(ctx.t("About this product", "商品介绍")),
        text(describe(ctx, product), { id: "description" }),
        section(ctx.t("Reviews", "评价")),
        reviews.slice(0, 2).map((review) => reviewCard(ctx, review)),
        row({ id: "all_reviews", title: ctx.t(`Read ${reviews.length} reviews`, `查看${reviews.length}条评价`), trailing: icon(glyphs.next, { size: 18 }), onTap: () => ctx.go("reviews", { id }) })),
      h("div", { class: "bottom-bar" },
        h("div", { style: { flex: 1 } }, priceLine(ctx, { price: product.price * ctx.ui.quantity, was: null }, 20)),
        button({ id: "add_to_cart", glyph: glyphs.cart, text: ctx.t("Add to cart", "加入购物车"), primary: true, disabled: !product.stock, onTap: () => addToCart(ctx, product) }))),
  }
}

function describe(ctx, product) {
  const kind = categoryOf(product).kinds.find((one) => one.id === product.kind)
  return ctx.t(
    `${product.name} by ${product.brand}. A ${named(ctx, categoryOf(product).name).toLowerCase()} favorite: ${named(ctx, kind.name).toLowerCase()} in ${product.colors.length} ${product.colors.length === 1 ? "color" : "colors"}, with a two-year guarantee and free returns within thirty days.`,
    `${product.brand}${product.name}，${named(ctx, categoryOf(product).name)}热销款，共${product.colors.length}种颜色，两年质保，三十天免费退货。`)
}

function addToCart(ctx, product) {
  const { color, size, quantity } = ctx.ui
  if (product.sizes.length && !size) return ctx.toast(ctx.t("Choose a size first", "请先选择尺码"))
  const line = ctx.state.cart.find((one) => one.product === product.id && one.color === color && one.size === size)
  const held = line?.quantity ?? 0
  const most = Math.min(MOST_PER_LINE, product.stock)
  if (held + quantity > most) return ctx.toast(ctx.t(`Only ${most} can be ordered`, `最多可购${most}件`))
  if (line) line.quantity += quantity
  else ctx.state.cart.push({ product: product.id, quantity, color, size })
  ctx.log(`cart_added product=${product.id} quantity=${quantity} color=${color} size=${quote(size)}`)
  ctx.toast(ctx.t("Added to cart", "已加入购物车"))
}

/** The customer's own reviews come before everyone else's. */
function allReviews(ctx, product) {
  const mine = ctx.state.reviews.filter((one) => one.product === product.id).map((one) => ({ ...one, author: ctx.t("You", "我") }))
  return [...mine.reverse(), ...reviewsOf(product, ctx.state.currency === "CNY" ? "zh" : "en", Date.UTC(2026, 2, 14))]
}

function reviewCard(ctx, review) {
  return card({ id: "review" },
    h("div", { style: { display: "flex", justifyContent: "space-between", color: "var(--muted)", fontSize: "calc(13px * var(--scale))" } },
      h("span", { style: { display: "flex", alignItems: "center", gap: "4px" } }, icon(glyphs.starFilled, { size: 15, color: "#f2a600" }), `${review.stars} · ${review.author}`), shortDay(ctx, review.at)),
    h("div", { style: { marginTop: "4px" } }, review.text))
}

export function reviewsScreen(ctx, { id }) {
  const product = productOf(ctx, id)
  return {
    title: ctx.t("Reviews", "评价"),
    body: scroll({ id: "reviews" }, text(product.name, { size: 18 }), h("div", { style: { padding: "0 16px" } }, ratingLine(product)), allReviews(ctx, product).map((review) => reviewCard(ctx, review))),
  }
}
