/** Taking a picture of a contact: the camera, and how a contact with a picture is shown. */

import { column, glyphs, h, icon, iconButton } from "../kit.js"

/** The picture of a contact that has one. */
export const portrait = (ctx) =>
  h("span", { class: "avatar portrait", id: "photo", role: "img", label: ctx.t("Photo", "照片") }, icon(glyphs.person, { size: 68 }))

export function cameraScreen(ctx, { id }) {
  const contact = ctx.state.items.find((one) => one.id === id)
  const shoot = () => {
    contact.photo = true
    ctx.log(`contact_photo_taken id=${id}`)
    ctx.back()
    ctx.toast(ctx.t("Photo saved", "照片已保存"))
  }
  return {
    title: ctx.t(`Photo of ${contact.name}`, `${contact.name}的照片`),
    body: column(
      h("div", { class: "finder", "aria-hidden": "true" }, icon(glyphs.person, { size: 220 })),
      h("div", { class: "center-line" }, iconButton({ id: "shutter", glyph: glyphs.camera, label: ctx.t("Take the photo", "拍摄"), onTap: shoot, size: 36 }))),
  }
}
