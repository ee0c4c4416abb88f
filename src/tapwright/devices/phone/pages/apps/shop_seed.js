/** Stocks the shop: 432 products, and a customer with addresses, past orders, a cart and a wish list. */

import { phoneNumber, words } from "../names.js"
import { owner } from "./contacts_data.js"
import { categories, deliveries, stylesOf } from "./shop_data.js"
import { seedStores } from "./shop_stores.js"

const DAY = 86400000
const YUAN_PER_DOLLAR = 7

function seedProducts(random, language) {
  const products = []
  for (const category of categories) {
    for (const kind of category.kinds) {
      for (const style of stylesOf(category, kind, language)) {
        const brand = random.pick(category.brands[language])
        const cents = priceIn(random, kind.price, language)
        const onSale = random.chance(0.16)
        products.push({
          name: language === "en" ? `${style} ${kind.name.en}` : `${style}${kind.name.zh}`, brand, category: category.id, kind: kind.id,
          price: onSale ? Math.round(cents * 0.8 / 10) * 10 : cents, was: onSale ? cents : null,
          rating: random.int(31, 50) / 10, reviews: random.int(8, 2400), stock: random.chance(0.05) ? 0 : random.int(2, 60),
          colors: random.sample(category.colors, random.int(1, Math.min(4, category.colors.length))), sizes: kind.sizes ?? [],
        })
      }
    }
  }
  return random.shuffle(products).map((product, at) => ({ id: at + 1, ...product }))
}

/** A price in cents within the kind's range: 24.99 in dollars, 168.00 in yuan. */
function priceIn(random, [low, high], language) {
  // Squaring leans towards the cheap end, where most of a shop's goods are.
  const dollars = low + Math.round((high - low) * random() ** 2)
  return language === "en" ? dollars * 100 - 1 + random.pick([0, 0, -49]) : dollars * YUAN_PER_DOLLAR * 100
}

const lineOf = (random, product, quantity) => ({
  product: product.id, quantity, color: random.pick(product.colors), size: product.sizes.length ? random.pick(product.sizes) : null,
})

function seedAddresses(random, language) {
  const me = owner(language)
  const { cities, streets } = words[language]
  const labels = language === "en" ? ["Home", "Work", "Parents"] : ["家", "公司", "父母家"]
  return labels.map((label, at) => ({
    id: at + 1, label, name: me.name, phone: phoneNumber(random, language),
    street: language === "en" ? `${random.int(2, 180)} ${random.pick(streets)} Street` : `${random.pick(streets)}${random.int(2, 180)}号`,
    city: random.pick(cities),
  }))
}

function seedOrders(random, language, now, products, addresses) {
  const count = 24
  const placed = Array.from({ length: count }, () => random.date(now - 200 * DAY, now - DAY)).sort((one, other) => one - other)
  return placed.map((at, index) => {
    const items = random.sample(products, random.int(1, 3)).map((product) => ({ ...lineOf(random, product, random.pick([1, 1, 1, 2])), price: product.price }))
    const subtotal = items.reduce((sum, line) => sum + line.price * line.quantity, 0)
    const delivery = random.pick(Object.keys(deliveries))
    const fee = deliveries[delivery].fee[language]
    const age = (now - at) / DAY
    return {
      id: 1001 + index, items, subtotal, discount: 0, fee, total: subtotal + fee, coupon: null, address: random.pick(addresses), delivery, payment: random.pick(["card", "wallet", "cash"]),
      status: index === count - 1 || age < 2 ? "processing" : age < 8 ? "shipped" : random.chance(0.12) ? "cancelled" : "delivered", placed: at,
    }
  })
}

export function seedShop(random, language, now) {
  const products = seedProducts(random, language)
  const inStock = products.filter((product) => product.stock > 3)
  const addresses = seedAddresses(random, language)
  return {
    currency: language === "en" ? "USD" : "CNY",
    products,
    cart: random.sample(inStock, 2).map((product) => lineOf(random, product, 1)),
    orders: seedOrders(random, language, now, products, addresses),
    wishlist: random.sample(products, 9).map((product) => product.id),
    addresses,
    address: 1,
    coupon: null,
    searches: [],
    reviews: [],
    stores: seedStores(random, language),
    my_store: null,
  }
}
