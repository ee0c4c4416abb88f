import { expect, test } from "vitest";

import { suiteFor } from "../src/library/suitefor";

const suites = ["android", "desktop-l3", "desktop-l4", "miniwob", "phone", "phone-l3", "web-l3"];

test.each([
  ["phone", "phone"],
  ["phone-2", "phone"],
  ["phone 2", "phone"],
  ["sites:trac", "web-l3"],
  ["web:http://127.0.0.1", "web-l3"],
  ["desktop:1920x1080", "desktop-l3"],
  ["miniwob", "miniwob"],
  ["adb:emulator-5554", "phone"],
  ["osworld:http://127.0.0.1:5000", "desktop-l3"],
  ["webdriver:http://127.0.0.1:4723", "android"],
])("on %s the tasks of %s are offered first", (device, suite) => {
  expect(suiteFor(device, suites)).toBe(suite);
});

test("without suites there is none", () => expect(suiteFor("phone", [])).toBe(""));
