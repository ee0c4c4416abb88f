// Runs in every page before its own scripts. The list that opens under a <select> is in no
// picture, so it stays closed: keys and `choose` change what is chosen.
(() => {
  const closed = field => field.tagName === "SELECT" && !field.multiple && field.size < 2
  addEventListener(
    "mousedown",
    event => {
      const field = event.target.closest?.("select")
      if (!field || !closed(field)) return
      event.preventDefault()
      field.focus()
    },
    true,
  )
  const choose = text => {
    const field = document.activeElement
    if (field?.tagName !== "SELECT") return false
    const wanted = text.trim().toLowerCase()
    const named = [...field.options].map(option => option.text.trim().toLowerCase())
    const exact = named.indexOf(wanted)
    const at = exact >= 0 ? exact : named.findIndex(name => wanted && name.startsWith(wanted))
    if (at < 0) return true
    if (field.multiple) field.options[at].selected = true
    else field.selectedIndex = at
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }))
    return true
  }
  globalThis[Symbol.for("tapwright.choose")] = choose
})()
