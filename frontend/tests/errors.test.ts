import { beforeEach, expect, test } from "vitest";

import { toApiError } from "../src/api";
import { describeError } from "../src/components/notices";
import { speak } from "../src/i18n";

beforeEach(() => speak("en"));

const conflict = toApiError(409, {
  code: "TW821",
  message: "long: the edit is of version 1, and the current version is 2",
  hint: "load the episode again",
  values: { id: "long", version: 2 },
});

test("an error is written in the language of the page, with its values", async () => {
  await speak("zh");
  const { text, hint } = describeError(conflict);
  expect(text).toBe("别人同时作了修改，你的修改没有生效。当前版本是 2。");
  expect(hint).not.toMatch(/[A-Za-z]/);
});

test("the server's own words are the details", () => {
  expect(describeError(conflict).details).toBe("TW821 · long: the edit is of version 1, and the current version is 2 · load the episode again");
});

test("without its values an error has the words that name nothing", () => {
  expect(describeError(toApiError(409, { code: "TW821", message: "", hint: "" })).text).toBe(
    "Somebody else has made a change meanwhile; yours is not made.",
  );
});

test("a role is named in the language of the page", async () => {
  await speak("zh");
  expect(describeError(toApiError(403, { code: "TW154", values: { role: "reviewer" } })).text).toContain("审核员");
});

test("an answer that is no error of ours still has a way out", () => {
  const { text, hint, details } = describeError(toApiError(502, "<html>"));
  expect([text, hint].every((part) => part !== "")).toBe(true);
  expect(details).toBe("HTTP 502");
});
