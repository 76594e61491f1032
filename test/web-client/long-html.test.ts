import { expect, test } from "vitest";
import { elementsShownOf, partsOf, plainText } from "../../web/base/lib/long-html.ts";
import { partsBetweenMarks } from "../../web/base/lib/marks.ts";
import { withCpuTime } from "../support/cpu-time.ts";

/** Cutting the HTML of long messages. */

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, "");

test("short content is not cut", () => {
  const html = `<p>${"<em>some words</em> ".repeat(600)}</p>`;
  expect(partsOf(html, 0)).toEqual({ shown: [html], isLong: false, rest: "" });
});

test.each([
  ["elements", `<p>${"<em>é</em> ".repeat(5000)}</p>`],
  ["lines of code", `<div><pre><code>${"let x &lt; 1;\n".repeat(4000)}</code></pre></div>`],
  ["text", `<p>${"word &amp; ".repeat(3000)}</p>`],
  [
    "nested quotes",
    `${"<blockquote>".repeat(50)}<p>${'<a title="a > b">x</a>'.repeat(4000)}</p>${"</blockquote>".repeat(50)}`,
  ],
  ["text without spaces", `<p>${"漢字".repeat(4000)}</p>`],
  ["emoji and entities without spaces", `<p>${"😄&amp;e\u0301".repeat(2500)}</p>`],
  ["a table", `<table><tbody>${`<tr>${"<td>1</td>".repeat(50)}</tr>`.repeat(100)}</tbody></table>`],
])("the parts of %s are all of its text, in order, each with what is open", (_, html) => {
  const first = partsOf(html, 0);
  expect([first.isLong, (first.shown[0] as string).length < html.length / 2]).toEqual([true, true]);
  expect(textOf(first.shown.join("")) + textOf(first.rest)).toBe(textOf(html));
  let count = 1;
  while (partsOf(html, count).rest) count++;
  const { shown } = partsOf(html, count);
  expect(textOf(shown.join(""))).toBe(textOf(html));
  for (const part of shown.slice(1)) expect(part.startsWith(html.slice(0, html.indexOf(">") + 1))).toBe(true);
});

test("a formula is not cut", () => {
  const html = `<p>${formulaOf(700).repeat(4)}</p>`;
  const [beginning] = partsOf(html, 0).shown;
  expect(beginning).toBe(`<p>${formulaOf(700)}`);
});

const formulaOf = (elements: number) => `<span class="katex"><span>${"<span>x</span>".repeat(elements)}</span></span>`;

test("a large formula is a part by itself, which is not shown at once", () => {
  const html = `<p>a ${formulaOf(2000)} b</p>`;

  expect(partsOf(html, 0).shown).toEqual(["<p>a "]);
  expect(partsOf(html, 3)).toEqual({ shown: ["<p>a ", `<p>${formulaOf(2000)} b</p>`], isLong: true, rest: "" });
});

test("many elements in few rows are cut", () => {
  const wide = `<table><tbody><tr>${"<td>1</td>".repeat(1000)}</tr></tbody></table>`;

  expect((partsOf(wide, 0).shown[0] as string).length).toBeLessThan(wide.length / 2);
  expect(partsOf(wide, 1)).toEqual({ shown: [wide], isLong: true, rest: "" });
});

test("no text is cut within a character, a letter with marks or an entity", () => {
  const pieces = ["😄", "&amp;", "e\u0301", "a"];
  for (let offset = 0; offset < 8; offset++) {
    const [beginning = ""] = partsOf(`<p>${"a".repeat(offset)}${pieces.join("").repeat(2000)}</p>`, 0).shown;
    expect(beginning).toMatch(/(?:😄|&amp;|e\u0301|a)$/u);
  }
});

test("what takes long to be shown counts as many elements", () => {
  expect(elementsShownOf("<p>a</p>")).toBeLessThan(3);
  expect(elementsShownOf('<p><audio src="a"></audio></p>')).toBeGreaterThan(40);
  expect(elementsShownOf(`<p>${"a".repeat(5000)}</p>`)).toBeGreaterThan(300);
});

test("a letter with very many marks is in parts, and other text is not", () => {
  const marked = `a${"\u0301".repeat(100)}`;

  expect(partsBetweenMarks(marked).map((part) => part.length)).toEqual([21, 20, 20, 20, 20]);
  expect(partsBetweenMarks(marked).join("")).toBe(marked);
  for (const text of ["", "Zoë", "नमस्ते", `e${"\u0301".repeat(20)}`]) expect(partsBetweenMarks(text)).toEqual([text]);
});

test("broken HTML is cut as well", () => {
  for (const html of ["<".repeat(100_000), "<b>".repeat(50_000), "</i>".repeat(50_000)])
    expect(plainText(html).length).toBeLessThanOrEqual(html.length);
  expect(partsOf("<b>".repeat(50_000), 3).shown).toHaveLength(3);
});

test.each([
  ["tags that are not closed", '<a title="'],
  ["tags without an end", "<a "],
  ["signs", "<"],
])("%s take linear time", async (_, piece) => {
  const html = piece.repeat(30_000);

  const { cpuMs } = await withCpuTime(() => [partsOf(html, 1), plainText(html)]);

  expect(cpuMs).toBeLessThan(1000);
});
