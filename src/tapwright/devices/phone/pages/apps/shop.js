/** A shop with a catalogue, a cart and orders; its screens live in shop_browse.js, shop_orders.js, shop_account.js and shop_stores.js. */

import { glyphs } from "../kit.js"
import { accountScreen, addressScreen, addressesScreen, couponsScreen, wishlistScreen } from "./shop_account.js"
import { categoryScreen, homeScreen, productScreen, reviewsScreen, searchScreen } from "./shop_browse.js"
import { cartScreen, checkoutScreen, orderScreen, ordersScreen, reviewScreen } from "./shop_orders.js"
import { seedShop } from "./shop_seed.js"
import { storesScreen } from "./shop_stores.js"

export default {
  id: "shop",
  package: "org.tapwright.shop",
  name: { en: "Shop", zh: "商城" },
  color: "#00796b",
  glyph: glyphs.bag,
  seed: seedShop,
  home: "home",
  screens: {
    home: homeScreen, category: categoryScreen, search: searchScreen, product: productScreen, reviews: reviewsScreen,
    cart: cartScreen, checkout: checkoutScreen, orders: ordersScreen, order: orderScreen, review: reviewScreen,
    account: accountScreen, wishlist: wishlistScreen, addresses: addressesScreen, address: addressScreen, coupons: couponsScreen, stores: storesScreen,
  },
}
