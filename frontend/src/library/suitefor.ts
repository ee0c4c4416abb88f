// Which suite's tasks a device can do.

/** Kinds of device whose tasks have another name. */
const TASKS_OF: Readonly<Record<string, string>> = { adb: "phone", osworld: "desktop", sites: "web" };

/** The suite that is named as the kind of device is ("phone-2", "desktop:1920x1080"), else the first. */
export function suiteFor(device: string, suites: readonly string[]): string {
  const kind = device.split(/[: -]/)[0] ?? "";
  const name = TASKS_OF[kind] ?? kind;
  return suites.find((one) => one === name) ?? suites.find((one) => one.startsWith(`${name}-`)) ?? suites[0] ?? "";
}
