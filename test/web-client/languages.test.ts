import { MessageFormatter, pluralTypeHandler } from "@ultraq/icu-message-formatter";
import { expect, test } from "vitest";
import { german } from "../../web/base/languages/de.ts";
import { directionOf, languageTag, t } from "../../web/base/languages/language.ts";
import { textsOfWebClient } from "./texts.ts";

const { translated, fixed, untranslated } = textsOfWebClient();

test("every text goes through a translation, when it is shown", () => {
  expect(untranslated).toEqual([]);
  expect(fixed).toEqual([]);
});

test("every text has a German one, and every German text is used", () => {
  const messages = new Set(translated.map(({ text }) => text));

  expect([...messages].filter((message) => !Object.hasOwn(german, message))).toEqual([]);
  expect(Object.keys(german).filter((message) => !messages.has(message))).toEqual([]);
});

/** The names of a message's arguments. */
const argumentsOf = (message: string) =>
  [...new Set([...message.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name))].sort();

test("a German text has the arguments of the English one, in the message format", () => {
  const formatter = new MessageFormatter("de", { plural: pluralTypeHandler });
  for (const [message, text] of Object.entries(german)) {
    const names = argumentsOf(message);
    expect([message, argumentsOf(text)]).toEqual([message, names]);
    const values = Object.fromEntries(names.map((name) => [name, 2]));
    expect([message, formatter.format(text, values)]).toEqual([message, expect.not.stringMatching(/[{}]|undefined/)]);
  }
});

test.each([
  ["the choice in this browser", { chosen: "en", account: "de", browser: ["de-AT"] }, "en"],
  ["the account's language, where it is not the organization's", { account: "de", browser: ["fr"] }, "de"],
  [
    "the browser's, where the account has the organization's",
    { account: "de", organization: "de", browser: ["en"] },
    "en",
  ],
  ["the browser's first language that there is", { browser: ["fr-CA", "de-AT", "en"] }, "de-AT"],
  ["the region that the browser names", { chosen: "de", browser: ["en-GB", "de-CH"] }, "de-CH"],
  ["the browser's, where there is none of the account's", { account: "pt_BR", browser: ["de"] }, "de"],
  ["English otherwise", { chosen: "constructor", browser: [] }, "en"],
])("the language is %s", (_, wishes, tag) => {
  expect(languageTag({ chosen: undefined, account: undefined, organization: "en", ...wishes })).toBe(tag);
});

test("a language has the direction of its script, whatever the region", () => {
  expect(["ar", "ar-EG", "he", "fa-IR", "ur", "az-Arab", "ckb"].map(directionOf)).toEqual(Array(7).fill("rtl"));
  expect(["en-US", "de-AT", "az", "ja", "hi", "ar-Latn"].map(directionOf)).toEqual(Array(6).fill("ltr"));
});

test("plurals and numbers are those of the language", () => {
  expect(t("{count, plural, one {# message} other {# messages}}", { count: 1 })).toBe("1 message");
  expect(t("{count, plural, one {# message} other {# messages}}", { count: 1234 })).toBe("1,234 messages");
  expect(t("{count} more", { count: 1234 })).toBe("1,234 more");
});
