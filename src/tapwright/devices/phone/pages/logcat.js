/** Log lines as `adb logcat -v threadtime` prints them. */

import { two } from "./dates.js"

/** One line, such as `03-14 09:41:07.000  1042  1042 I NotesApp: note_saved id=12`; short tags are padded to eight columns. */
export function logLine({ ms, pid, level, tag, message }) {
  const d = new Date(ms)
  const day = `${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())}`
  const time = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}:${two(d.getUTCSeconds())}.${String(d.getUTCMilliseconds()).padStart(3, "0")}`
  const process = String(pid).padStart(5)
  return `${day} ${time} ${process} ${process} ${level} ${tag.padEnd(8)}: ${message}`
}
