import { expect, test } from "vitest";
import { partsOf, plainText } from "../../web/base/lib/long-html.ts";
import { withCpuTime } from "../support/cpu-time.ts";

/** Cutting the HTML of long messages. */

const textOf = (html: string) => html.replaceAll(/<[^>]*>/g, "");

test("short content is not cut", () => {
  const html = `<p>${"<em>a</em>".repeat(1000)}</p>`;
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
  const formula = `<span class="katex"><span>${"<span>x</span>".repeat(900)}</span></span>`;
  const html = `<p>${formula.repeat(4)}</p>`;
  const [beginning] = partsOf(html, 0).shown;
  expect(beginning).toBe(`<p>${formula}`);
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
