/** Every app of the phone, in the order of the home screen. */

import contacts from "./contacts.js"
import mail from "./mail.js"
import calendar from "./calendar.js"
import clock from "./clock.js"
import notes from "./notes.js"
import files from "./files.js"
import shop from "./shop.js"
import settings from "./settings.js"

export const apps = [contacts, mail, calendar, clock, notes, files, shop, settings]
