import { MessageFormatter, pluralTypeHandler } from "@ultraq/icu-message-formatter";
import { expect, test } from "vitest";
import { directionOf, languages, languageTag, t } from "../../web/base/languages/language.ts";
import { textsOfWebClient } from "./texts.ts";

const { translated, fixed, untranslated } = textsOfWebClient();

test("every text goes through a translation, when it is shown", () => {
  expect(untranslated).toEqual([]);
  expect(fixed).toEqual([]);
});

const translations = await Promise.all(
  Object.entries(languages)
    .filter(([code]) => code !== "en")
    .map(async ([code, { name, texts }]) => ({ code, name, texts: await texts() })),
);

test.each(translations)("every text has one in $name, and each of those is used", ({ texts }) => {
  const messages = new Set(translated.map(({ text }) => text));

  expect([...messages].filter((message) => !Object.hasOwn(texts, message))).toEqual([]);
  expect(Object.keys(texts).filter((message) => !messages.has(message))).toEqual([]);
});

/** The names of a message's arguments. */
const argumentsOf = (message: string) =>
  [...new Set([...message.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name))].sort();

test.each(translations)("a text in $name has the arguments of the English one, in the message format", (language) => {
  const formatter = new MessageFormatter(language.code, { plural: pluralTypeHandler });
  const known = new Intl.PluralRules(language.code).resolvedOptions().pluralCategories;
  for (const [message, text] of Object.entries(language.texts)) {
    const names = argumentsOf(message);
    expect([message, argumentsOf(text)]).toEqual([message, names]);
    const kinds = [...text.matchAll(/\{\w+,\s*(\w+)/g)].map(([, kind]) => kind);
    expect([message, kinds]).toEqual([message, kinds.map(() => "plural")]);
    const forms = [...text.matchAll(/(?:plural,|\}) (\w+) \{(?!\w+[,}])/g)].map(
      ([, form]) => form as Intl.LDMLPluralRule,
    );
    expect([message, forms.filter((form) => !known.includes(form))]).toEqual([message, []]);
    expect([message, forms.filter((form) => form === "other").length]).toEqual([message, kinds.length]);
    for (const count of [0, 1, 2, 1_000_000]) {
      const values = Object.fromEntries(names.map((name) => [name, count]));
      expect([message, formatter.format(text, values)]).toEqual([message, expect.not.stringMatching(/[{}]|undefined/)]);
    }
  }
});

test("French has a narrow space that does not break at its punctuation", async () => {
  const ordinary = Object.values(await languages.fr.texts()).filter((text) =>
    /(?<!\u202f)[;!?»]|«(?!\u202f)|(?<!\u202f):(?=\s|$)|['“”]/.test(text.replaceAll(/:\{\w+\}:/g, "")),
  );

  expect(ordinary).toEqual([]);
});

test.each([
  ["the choice in this browser", { chosen: "en", account: "de", browser: ["de-AT"] }, "en"],
  ["the account's language, where it is not the organization's", { account: "de", browser: ["fr"] }, "de"],
  [
    "the browser's, where the account has the organization's",
    { account: "de", organization: "de", browser: ["en"] },
    "en",
  ],
  ["the browser's first language that there is", { browser: ["pt-BR", "de-AT", "en"] }, "de-AT"],
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
