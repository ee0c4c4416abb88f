/** Permissions: what an app may use of the phone. It asks when it first wants to, and the answer is kept.
 *
 * For the pairs below `settings.permissions` holds "ask", "allowed" or "denied"; an app of the settings'
 * list that is none of the phone's own has plain switches.
 */

const OWN = "org.tapwright."

/** What the phone's own apps ask for. */
const asked = { contacts: ["camera"], mail: ["contacts"], shop: ["location"] }

const uses = {
  camera: ["take pictures", "拍摄照片"],
  contacts: ["access your contacts", "访问您的通讯录"],
  location: ["access this phone's location", "访问此手机的位置信息"],
}
const names = { camera: ["Camera", "相机"], contacts: ["Contacts", "通讯录"], location: ["Location", "位置信息"] }

export const seedPermissions = () =>
  Object.fromEntries(Object.entries(asked).map(([app, wanted]) => [app, Object.fromEntries(wanted.map((name) => [name, "ask"]))]))

/** What `settings` hold for one of the phone's own apps, if it asks for that at all. */
const answersOf = (settings, app, name) => {
  const held = app.package.startsWith(OWN) ? settings.permissions[app.package.slice(OWN.length)] : undefined
  return held && name in held ? held : null
}

export function isGranted(settings, app, name) {
  const held = answersOf(settings, app, name)
  return held ? held[name] === "allowed" : app.permissions[name]
}

export function setGranted(settings, app, name, granted) {
  const held = answersOf(settings, app, name)
  if (held) held[name] = granted ? "allowed" : "denied"
  else app.permissions[name] = granted
}

/** Runs `onAllowed` if `app` may, after asking if nobody has; what was denied is changed in the settings. */
export function requestPermission(ctx, app, name, onAllowed) {
  const { settings } = ctx.all
  const held = settings.permissions[app.id]
  const title = app.name[ctx.language]
  if (held[name] === "allowed") return onAllowed()
  const answer = (value) => () => {
    held[name] = value
    ctx.log(`app_permission_changed package=${app.package} permission=${name} granted=${value === "allowed"}`)
    if (value === "allowed") onAllowed()
  }
  if (held[name] === "denied") {
    const listed = settings.apps.find((one) => one.package === app.package)
    return ctx.dialog({
      title: ctx.t(`${names[name][0]} is not allowed`, `未获得${names[name][1]}权限`),
      body: ctx.t(`Allow ${title} to ${uses[name][0]} in the settings.`, `请在设置中允许${title}${uses[name][1]}。`),
      buttons: [
        { id: "cancel", text: ctx.t("Cancel", "取消") },
        { id: "open_settings", text: ctx.t("Settings", "设置"), primary: true, onTap: () => ctx.open("settings", "app", { id: listed.id }) },
      ],
    })
  }
  ctx.dialog({
    title: ctx.t(`Allow ${title} to ${uses[name][0]}?`, `允许${title}${uses[name][1]}吗？`),
    buttons: [
      { id: "permission_deny", text: ctx.t("Don't allow", "不允许"), onTap: answer("denied") },
      { id: "permission_allow", text: ctx.t("Allow", "允许"), primary: true, onTap: answer("allowed") },
    ],
  })
}
