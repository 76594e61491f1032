import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { rendersTo, testContext } from "./context.ts";

const code = (text: string, language = "") =>
  `<div class="codehilite"${language && ` data-code-language="${language}"`}><pre><span></span><code>${text}\n</code></pre></div>`;

describe("code", () => {
  rendersTo([
    ["backticks", "```\na < b\n```", code("a &lt; b")],
    ["tildes", "~~~~\n*a*\n~~~~", code("*a*")],
    ["never closed", "```\na", code("a")],
    ["a shorter fence inside", "````\n```\na\n````", code("```\na")],
    ["blank lines at the ends are removed", "```\n\n a\n\n```", code(" a")],
    ["between paragraphs", "a\n```\nb\n```\nc", `<p>a</p>\n${code("b")}\n<p>c</p>`],
    ["an unknown language", "```Klingon\n'a'\n```", code("'a'", "klingon")],
    ["braces and a dot", "```{.klingon}\na\n```", code("a", "klingon")],
    ["quotation marks without a language", "```\n\"a\" 'b'\n```", code("&quot;a&quot; &#39;b&#39;")],
    ["a language that is no plain word", "```<script>\na\n```", `<p>${"```"}&lt;script&gt;<br>\na</p>\n${code("")}`],
    ["in a quote", "> ```\n> a\n> ```", "<blockquote>\n<p><code>\na\n</code></p>\n</blockquote>"],
    ["four spaces", "a\n\n    b\n     c", `<p>a</p>\n${code("b\n c")}`],
    ["text after three spaces is not code", "   b", "<p>b</p>"],
    ["a fence within a line", "a ``` b", "<p>a ``` b</p>"],
    ["an empty fence", "a\n```\n```\nb", "<p>a<br>\nb</p>"],
  ]);

  test("highlights Python with the classes that clients style", async () => {
    const { html } = await renderMarkdown("```python\nx = 1\ndef f():\n    return 'a'\n```", testContext());

    expect(html).toContain('<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>');
    expect(html).toContain('<span class="k">def</span> <span class="nf">f</span><span class="p">():</span>');
    expect(html).toContain('<span class="k">return</span>');
    expect(html).toMatch(/^<div class="codehilite" data-code-language="Python"><pre><span><\/span><code>/);
  });

  test("names a language as Pygments does, also where it does not highlight it", async () => {
    const { html } = await renderMarkdown("```tex\n\\pi\n```", testContext());

    expect(html).toBe(code("\\pi", "TeX"));
  });

  test("takes the organization's language for code that names none", async () => {
    const { html } = await renderMarkdown("```\na\n```", testContext({ defaultCodeLanguage: "klingon" }));

    expect(html).toBe(code("a", "klingon"));
  });
});

describe("quote", () => {
  rendersTo([
    ["lines", "```quote\na\nb\n```", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"],
    ["with its other name, quoted", "~~~ quoted\na\n~~~", "<blockquote>\n<p>a</p>\n</blockquote>"],
    [
      "code inside",
      "````quote\na\n```\nb\n```\nc\n````",
      `<blockquote>\n<p>a</p>\n${code("b")}\n<p>c</p>\n</blockquote>`,
    ],
    [
      "a quote inside",
      "````quote\n```quote\na\n```\nb\n````",
      "<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>",
    ],
    // A quirk of Zulip: the blank line that ends a fence becomes a line break when another fence ends there.
    [
      "a quote that ends with a quote",
      "````quote\n```quote\na\n```\n````",
      "<blockquote>\n<blockquote>\n<p>a<br>\n</p>\n</blockquote>\n</blockquote>",
    ],
    ["a list inside", "```quote\n* a\n```", "<blockquote>\n<ul>\n<li>a</li>\n</ul>\n</blockquote>"],
    ["never closed", "```quote\na", "<blockquote>\n<p>a</p>\n</blockquote>"],
  ]);
});

describe("spoiler", () => {
  const spoiler = (header: string, content: string) =>
    `<div class="spoiler-block"><div class="spoiler-header">\n${header}</div><div class="spoiler-content" aria-hidden="true">\n${content}\n</div></div>`;
  rendersTo([
    ["a header", "```spoiler the *end*\na\n```", spoiler("<p>the <em>end</em></p>\n", "<p>a</p>")],
    ["no header", "```spoiler\na\n```", spoiler("", "<p>a</p>")],
    [
      "blocks inside",
      "````spoiler x\n* a\n\n```\nb\n```\n````",
      spoiler("<p>x</p>\n", `<ul>\n<li>a</li>\n</ul>\n${code("b")}`),
    ],
    [
      "in a quote",
      "````quote\n```spoiler x\na\n```\nb\n````",
      `<blockquote>\n${spoiler("<p>x</p>\n", "<p>a</p>")}\n<p>b</p>\n</blockquote>`,
    ],
  ]);
});

describe("math", () => {
  test("is typeset as displayed formulas, one per paragraph", async () => {
    const { html } = await renderMarkdown("```math\na^2\n\nb\n```", testContext());

    expect(html).toMatch(
      /^<p><span class="katex-display"><span class="katex">.*<\/span>\n\n<span class="katex-display">.*<\/p>$/s,
    );
    expect(html).toContain('<annotation encoding="application/x-tex">a^2</annotation>');
  });

  test("has the class names that clients style", async () => {
    const { html } = await renderMarkdown("```math\n\\frac{a^2}{\\sqrt b}\n```", testContext());

    for (const name of ["base", "strut", "mfrac", "vlist-t vlist-t2", "sizing reset-size6 size3 mtight", "mord sqrt"])
      expect(html).toContain(`<span class="${name}"`);
  });

  test("is typeset within a line", async () => {
    const { html } = await renderMarkdown("so $$a < b$$.", testContext());

    expect(html).toMatch(
      /^<p>so <span class="katex">.*<annotation encoding="application\/x-tex">a &lt; b<\/annotation>.*<\/span>\.<\/p>$/s,
    );
  });

  rendersTo([
    ["an invalid formula", "$$\\error$$", '<p><span class="tex-error">$$\\error$$</span></p>'],
    [
      "an invalid formula in a block",
      "```math\n\\error{<b>}\n```",
      '<p><span class="tex-error">\\error{&lt;b&gt;}</span></p>',
    ],
    ["touching words", "a$$b$$ $$c$$d", "<p>a$$b$$ $$c$$d</p>"],
    ["one dollar", "$5 and $6", "<p>$5 and $6</p>"],
    ["in code", "`$$a$$`", "<p><code>$$a$$</code></p>"],
    ["across lines", "$$a\nb$$", "<p>$$a<br>\nb$$</p>"],
  ]);
});
