import { describe, expect, test } from "vitest";
import { fold, foldWithOffsets } from "../../../shared/base/folding.ts";
import { decodeEntities, escapeHtml } from "../../../shared/base/html.ts";
import { hasAlertWord } from "../../../shared/messaging/messages/flags/alert-words.ts";
import { analyze } from "../../../shared/messaging/messages/search/analyze.ts";
import { highlightMatches } from "../../../shared/messaging/messages/search/highlight.ts";
import { indexTerms } from "../../../shared/messaging/messages/search/index-terms.ts";
import { indexLookUps } from "../../../shared/messaging/messages/search/look-ups.ts";
import { matchesSearch } from "../../../shared/messaging/messages/search/match.ts";
import { parseSearch } from "../../../shared/messaging/messages/search/query.ts";
import { stemmingOf } from "../../../shared/messaging/messages/search/stems.ts";
import { fc } from "../../support/random.ts";
import { german, texts } from "./cases.ts";
import { englishVocabulary, germanVocabulary } from "./vocabulary.ts";

const messageOf = (text: string) => ({
  content: text,
  // Tags within the text, as of emphasis, do not separate words.
  html: `<p>${escapeHtml(text.slice(0, 5), false)}<strong>${escapeHtml(text.slice(5), false)}</strong></p>`,
  topic: "",
});

/** Whether the index has the message under what a search looks up. */
function isIndexed(message: ReturnType<typeof messageOf>, search: ReturnType<typeof parseSearch>): boolean {
  const terms = indexTerms(message);
  return indexLookUps(search).every((ranges) =>
    ranges.some(({ beginning, isExact, accepts }) =>
      terms.some((term) => (isExact ? term === beginning : term.startsWith(beginning)) && accepts(term)),
    ),
  );
}

function expectFound(text: string, query: string): void {
  const message = messageOf(text);
  for (const language of ["en", "de", "fr"])
    for (const each of [query, fold(query), query.normalize("NFD"), query.normalize("NFC")]) {
      const search = parseSearch(each, { language, completes: true });
      expect([each, matchesSearch(message, search)]).toEqual([each, true]);
      expect([each, isIndexed(message, search)]).toEqual([each, true]);
    }
}

const pieces = [
  ...Object.values(texts).flatMap((text) => text.replaceAll(/["½]/g, "").split(/\s+/)),
  ...[
    "fooBarBAZ9",
    "x1y2z3w4v5u6",
    "__init__",
    "a-b_c'd",
    "\u1112\u1161\u11ab글",
    "ΣΊΣΥΦΟΣ",
    "𝔩ove",
    "𐐨𐐀",
    "İIıi",
    "ǅungla",
    // Characters that are also written as several, and one that nobody sees.
    "ໜັງສືໝາ",
    "ဦးဦး",
    "པ\u0f73ཐྐྵ",
    "トキヿ",
    "น้ําน้ำ",
    "ឤឋ\u17b4ឆ",
    "これはC#",
    "٢٠٢٤",
    "㌔㍻⾔",
    "ʻokina",
    "1,234.5",
    "👩🏽‍💻",
    "3️⃣",
    "Ｃ＋＋",
  ],
];
const separators = fc.constantFrom(" ", "  ", "\n", ", ", "-", "_", ".", "", "/", "、", "\u00ad", "\u200b", "(");
const textArbitrary = fc
  .array(fc.tuple(fc.constantFrom(...pieces), separators), { minLength: 1, maxLength: 8 })
  // Digits on both sides of an invisible cut are two numbers, and one when they are folded.
  .map((parts) =>
    parts
      .flat()
      .join("")
      .replace(/(?<=\p{N})[\u00ad\u200b]+(?=\p{N})/gu, " "),
  );

describe("a message is found", () => {
  test("by each of its words, as it is and folded", () => {
    fc.assert(
      fc.property(textArbitrary, (text) => {
        for (const part of text.split(/\s+/)) if (analyze(part).atoms.length > 0) expectFound(text, part);
        const { atoms, compounds } = analyze(text);
        for (const { from, to } of [...atoms, ...compounds]) expectFound(text, text.slice(from, to));
      }),
      { numRuns: 15 },
    );
  });

  test("by each beginning of three letters and more, and by any two characters where there are no spaces", () => {
    fc.assert(
      fc.property(textArbitrary, (text) => {
        const { atoms, compounds } = analyze(text);
        for (const { term } of [...atoms.filter(({ kind }) => kind === "word" || kind === "number"), ...compounds])
          for (const length of [3, 4, 7])
            if ([...term].length >= length) expectFound(text, [...term].slice(0, length).join(""));
        for (const [index, { kind, from }] of atoms.entries()) {
          const next = atoms[index + 1];
          if (kind === "character" && next?.kind === "character" && next.gap === "none")
            expectFound(text, text.slice(from, next.to));
        }
      }),
      { numRuns: 15 },
    );
  });
});

test.each(german)("in an organization whose language is German, %s finds what it says", (query, ...names) => {
  const search = parseSearch(query, { language: "de", completes: true });
  const found = Object.entries(texts).filter(([, text]) => matchesSearch(messageOf(text), search));
  expect(found.map(([name]) => name)).toEqual(names);
  for (const [, text] of found) expect(isIndexed(messageOf(text), search)).toBe(true);
});

test("a message with an alert word is in the index under what the word looks up", () => {
  const words = [
    ...["c#", "c++", "字#", "foo#", "a&t", "1,234", "e-mail", "o'b", "#1", "@a", "c", "日本", "f.b", "a_b", "1.2"],
    ...["ß", "ing", "👍", "co", "_b", "-x", "c# dev", "٢", "x++"],
  ];
  const written = [
    ...[
      "これはC#とC++です",
      "c#m",
      "foo#bar C++20 x+++",
      "漢字#",
      "é# a_c#",
      "at a&t now",
      "1,234 and 11,234",
      "e-mail email",
    ],
    ...[
      "o'b and o'brien",
      "#1 #12",
      "@a",
      "私は日本が好き",
      "f.b f.bc",
      "a_b xa_b",
      "v1.2 1.2.3",
      "Fuß",
      "ing",
      "👍🏽 ok",
    ],
    ...["co\u200dop co-op", "_b __b", "-x x-", "c# dev", "٢ 2"],
  ];
  let found = 0;
  for (const word of words)
    for (const text of written) {
      const message = messageOf(text);
      if (!hasAlertWord(message, [fold(word)])) continue;
      found++;
      expect([word, text, isIndexed(message, parseSearch(fold(word), { language: "", completes: false }))]).toEqual([
        ...[word, text, true],
      ]);
    }
  expect(found).toBeGreaterThan(25);
});

test("an excluded word does not exclude those that begin with it", () => {
  const search = parseSearch("gate", { language: "en", completes: false });
  expect(matchesSearch(messageOf("the gateway"), search)).toBe(false);
  expect(matchesSearch(messageOf("two gates"), search)).toBe(true);
});

test("a file is found by its name, and an emoji by itself", () => {
  const html =
    '<p><a href="/user_uploads/1/ab/Bericht_M%C3%A4rz.pdf">see</a> <span class="emoji emoji-1f389" title="tada">:tada:</span></p>';
  for (const query of ["bericht", "märz", "Bericht_März.pdf", "🎉", "tada"]) {
    const search = parseSearch(query, { language: "en", completes: true });
    expect([query, matchesSearch({ content: "", html, topic: "" }, search)]).toEqual([query, true]);
    // The name is not visible: there is nothing to mark.
    const { match_content } = highlightMatches({ html }, "", search);
    expect(match_content).toContain('href="/user_uploads/1/ab/Bericht_M%C3%A4rz.pdf">see</a>');
  }
});

describe("matches are marked", () => {
  const unmark = (html: string) => html.replaceAll(/<span class="highlight">(.*?)<\/span>/gs, "$1");
  const marked = (html: string) =>
    [...html.matchAll(/<span class="highlight">(.*?)<\/span>/gs)].map(([, text]) => text);

  test("in any text, without changing it", () => {
    fc.assert(
      fc.property(textArbitrary, fc.nat(), (text, at) => {
        const message = messageOf(text);
        const atoms = analyze(text).atoms.filter(({ term }) => term !== "");
        const atom = atoms[at % Math.max(1, atoms.length)];
        if (!atom) return;
        const query = text.slice(atom.from, atom.to);
        const search = parseSearch(query, { language: "en", completes: true });
        const { match_content, match_subject } = highlightMatches(message, text, search);
        expect(unmark(match_content)).toBe(message.html);
        expect(unmark(match_subject)).toBe(escapeHtml(text, true));
        const all = marked(match_subject).map((mark = "") => decodeEntities(mark));
        expect(all.some((mark) => fold(mark).includes(fold(query)))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("but not in the source of a formula, where a mark would end it", () => {
    const html =
      '<p><span class="katex"><math><semantics><mi>beta</mi><annotation encoding="application/x-tex">\\beta</annotation></semantics></math>beta</span></p>';
    const search = parseSearch("beta", { language: "en", completes: true });
    const { match_content } = highlightMatches({ html }, "", search);
    expect(unmark(match_content)).toBe(html);
    expect(match_content).toContain(">\\beta</annotation>");
    expect(marked(match_content)).toEqual(["beta", "beta"]);
  });

  test.each([
    ["c#", "C++ and C#", ["C#"]],
    ["1234567", "it is 1,234,567", ["1,234,567"]],
    ["ספר", "ספר", ["ספר"]],
    ["deploy", "We deployed deployments", ["deployed", "deployments"]],
    ["deplo", "deployment", ["deplo"]],
    ["box", "MessageBoxStyle", ["Box"]],
    ["snake", "snake_case", ["snake"]],
    ["snakecase", "a snake_case_name", ["snake_case_name"]],
    ["1.2", "v1.2.3 1.20", ["1.2"]],
    ["上海", "我家在上海东边上海", ["上海", "上海"]],
    ["cafe", "Cafe\u0301 cafés", ["Cafe\u0301", "cafés"]],
    ["grosser", "größer", ["größer"]],
    ["gro", "größer", ["größer"]],
    ['"l’ecole a"', "à l'École à Orléans", ["l&#39;École à"]],
    ['"ss a"', "groß a", ["ß a"]],
    ['"line  second"', "first line \n second, line second", ["line \n second", "line second"]],
    ["email", "an e-mail", ["e-mail"]],
    ["c++", "Ｃ＋＋", ["Ｃ＋＋"]],
    ["1234567", "it is 1,234,567.89", ["1,234,567"]],
    ["1,234,567.89", "1234567.89, 1.234.567,89", ["1234567.89", "1.234.567,89"]],
    // A mark within a character would take it apart.
    ["👋", "hi 👋🏿", ["👋🏿"]],
    ["💻", "x👩🏽‍💻y", ["👩🏽‍💻"]],
    ["ภาษ", "ภาษี", ["ภาษี"]],
    ["น", "น้ำ", ["น้ำ"]],
    ["ิ", "กิน", ["กิ"]],
    ["ハ", "ﾊﾟ", []],
    ["<b>", "a <b> & c", ["b"]],
  ])("%s in %s", (query, text, marks) => {
    const search = parseSearch(query, { language: "en", completes: true });
    expect(marked(highlightMatches({ html: "" }, text, search).match_subject)).toEqual(marks);
  });
});

test("the positions of a folded text are those of its source", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (source) => {
      const { text, offsets } = foldWithOffsets(source);
      expect(text).toBe(fold(source));
      expect(fold(text)).toBe(text);
      expect(offsets).toHaveLength(text.length + 1);
      expect(offsets.toSorted((a, b) => a - b)).toEqual(offsets);
    }),
  );
});

describe("stems", () => {
  test.each([
    ["en", englishVocabulary],
    ["de", germanVocabulary],
  ])("%s: they are those that Snowball publishes, and words begin as their stems say", (language, vocabulary) => {
    const stemming = stemmingOf(language);
    for (const [word = "", stem = ""] of vocabulary.split(" ").map((pair) => pair.split(":"))) {
      expect([word, stemming?.stem(word)]).toEqual([word, stem]);
      const beginnings = stemming?.beginnings(stemming.stem(fold(word))) ?? [];
      expect([word, beginnings.some((beginning) => fold(word).startsWith(beginning))]).toEqual([word, true]);
    }
  });

  test("words of other languages have none", () => {
    expect(stemmingOf("fr")).toBeUndefined();
    expect(stemmingOf("en-gb")).toBe(stemmingOf("en"));
  });
});
