import { expect, test } from "vitest";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { plainSlackNames, SlackMarkup, slackBlock } from "../../shared/features/integrations/slack-markup.ts";
import { testContext } from "../markdown/context.ts";
import { fc } from "../support/random.ts";

/** What Slack's markup looks like in the chat, as a reader sees it. */

const markup = new SlackMarkup({
  ...plainSlackNames,
  user: (id, label) => (id === "U1" ? "@**Zoe|7**" : `@${label}`),
  channel: () => "#**Denmark**",
  broadcast: () => "@**all**",
  emoji: (name) => (name === "smile" ? ":smile:" : undefined),
});

const htmlOf = async (markdown: string) => {
  const { html } = await renderMarkdown(markdown, testContext());
  return html.replaceAll("\u200B", "");
};
const withoutParagraph = (html: string) => html.replace(/^<p>(.*)<\/p>$/s, "$1");
const seen = async (mrkdwn: string) => withoutParagraph(await htmlOf(markup.fromMrkdwn(mrkdwn)));

const zoe = '<span class="user-mention" data-user-id="7">@Zoe</span>';

test.each([
  ["*<https://a.example/x|Build #5>* failed", '<strong><a href="https://a.example/x">Build #5</a></strong> failed'],
  ["_see <https://a.example/x|it>_", '<em>see <a href="https://a.example/x">it</a></em>'],
  ["~<https://a.example/x|it>~", '<del><a href="https://a.example/x">it</a></del>'],
  ["*<@U1>* and _<@U1> left_", `${zoe} and ${zoe} <em>left</em>`],
  ["*`code`* _a `b` c_", "<strong><code>code</code></strong> <em>a <code>b</code> c</em>"],
  ["*a _b_* _*b* a_", "<strong>a <em>b</em></strong> <em><strong>b</strong> a</em>"],
  ["*_b_* _*b*_ ~*b*~", "<strong><em>b</em></strong> <strong><em>b</em></strong> <del><strong>b</strong></del>"],
  ["*a*_b_, (*c*)", "<strong>a</strong><em>b</em>, (<strong>c</strong>)"],
  ["_x^2_", "<em>x&#x5e;2</em>"],
  ["*a\nb*", "*a<br>\nb*"],
  ["2*3*4, a* b *c, snake_case_name", "2&#x2a;3&#x2a;4, a&#x2a; b &#x2a;c, snake_case_name"],
  ["田中<@U1>さん", `田中 ${zoe}さん`],
  ["<@USLACKBOT>", "@Slackbot"],
  ["cc:<@U1>, (<@U1>)", `cc: ${zoe}, (${zoe})`],
  ["東京<#C1>です", '東京 <a class="stream" data-stream-id="9" href="/#narrow/channel/9-Denmark">#Denmark</a>です'],
  ["<!date^1392734382^{date}|Feb 18> <!date^x>", "Feb 18 @date"],
  ["<!date^1392734382^{date}>", '<time datetime="2014-02-18T14:39:42Z">1392734382</time>'],
  ["*<https://a.example/x>*", '<strong><a href="https://a.example/x">https://a.example/x</a></strong>'],
  ["_see <https://a.example/x>_", '<em>see <a href="https://a.example/x">https://a.example/x</a></em>'],
  ["見て<https://a.example/x>です", '見て<a href="https://a.example/x">https://a.example/x</a>です'],
  [
    "<https://a.example/x>,y (<https://a.example/x>) <https://a.example/x>.",
    '<a href="https://a.example/x">https://a.example/x</a>,y (<a href="https://a.example/x">https://a.example/x</a>) <a href="https://a.example/x">https://a.example/x</a>.',
  ],
  ["<!date^1392734382^{date}^https://a.example/x|Feb 18>", '<a href="https://a.example/x">Feb 18</a>'],
  ["_*a_*", "<em>&#x2a;a</em>&#x2a;"],
  ["``` *a*\na ` b", "&#x60;&#x60;&#x60; <strong>a</strong><br>\na &#x60; b"],
  ["# 1 *a*\n#b", "&#x23; 1 <strong>a</strong><br>\n#b"],
  [":wave::skin-tone-3: :smile::skin-tone-2:", await htmlOf(":wave: :smile:").then(withoutParagraph)],
  ["a\n&gt; b\nc", "a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n<p>c"],
])("%s", async (mrkdwn, html) => {
  expect(await seen(mrkdwn)).toBe(html);
});

test("three signs quote everything that follows, code too", async () => {
  const html = await htmlOf(markup.fromMrkdwn("a\n&gt;&gt;&gt; b *c*\n&gt;&gt;&gt; d\n```\ne\n```"));

  expect(html).toMatch(/^<p>a<\/p>\n<blockquote>.*<strong>c<\/strong>.*d.*<code>e\n<\/code>.*<\/blockquote>$/s);
});

test("elements of rich text beside each other keep their styles", async () => {
  const elements = [
    { type: "text", text: "a", style: { bold: true } },
    { type: "text", text: "b", style: { italic: true } },
    { type: "text", text: " 2*3*4 " },
    { type: "link", url: "https://a.example/", text: "link", style: { bold: true, strike: true } },
    { type: "text", text: "字" },
    { type: "user", user_id: "U1" },
    { type: "emoji", name: "unknown", unicode: "1f44b-1f3fd" },
    { type: "emoji", name: "unknown", unicode: "zz" },
    { type: "date", timestamp: 1392734382, format: "{date}" },
  ];
  const block = slackBlock.parse({ type: "rich_text", elements: [{ type: "rich_text_section", elements }] });

  expect(await htmlOf(markup.blockText(block))).toBe(
    '<p><strong>a</strong><em>b</em> 2&#x2a;3&#x2a;4 <strong><del><a href="https://a.example/">link</a></del></strong>' +
      `字 ${zoe}👋🏽:unknown:<time datetime="2014-02-18T14:39:42Z">1392734382</time></p>`,
  );
});

interface Nested {
  /** `*`, `_` or `~`; none: the whole. */
  sign: string;
  parts: (Nested | string)[];
}

const atoms = [
  "word",
  "字",
  "x^y",
  "<https://a.example/p|link>",
  "<https://a.example/q>",
  "`code`",
  "<@U1>",
  "<#C1>",
  ":smile:",
  "it's",
];

/** Emphasis in emphasis of other kinds, in all orders. */
const nested = (signs: string[]): fc.Arbitrary<Nested["parts"]> => {
  const atom = fc.constantFrom(...atoms);
  const inner =
    signs.length === 0
      ? atom
      : fc.oneof(
          atom,
          fc
            .constantFrom(...signs)
            .chain((sign) => nested(signs.filter((other) => other !== sign)).map((parts): Nested => ({ sign, parts }))),
        );
  return fc.array(inner, { minLength: 1, maxLength: 3 });
};

const written = (parts: Nested["parts"]): string =>
  parts.map((part) => (typeof part === "string" ? part : part.sign + written(part.parts) + part.sign)).join(" ");

const tags: Record<string, string> = { "*": "strong", _: "em", "~": "del" };
const atomHtml = new Map<string, string>();

/** Each atom with the emphasis that it must have. A mention has none, because it is emphasized by itself. */
const expected = (parts: Nested["parts"], around: string[] = []): string[] =>
  parts.flatMap((part) => {
    if (typeof part !== "string") return expected(part.parts, [...around, tags[part.sign] ?? ""]);
    const html = atomHtml.get(part) ?? "";
    return [/^<[@#]/.test(part) ? html : `${around.toSorted().join()} ${html}`.trim()];
  });

/** The same of HTML. */
function found(html: string): string[] {
  const open: string[] = [];
  const all: string[] = [];
  const atomPattern = [...atomHtml.values()].map((one) => one.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  for (const [part, slash, tag] of html.matchAll(new RegExp(`<(/?)(strong|em|del)>|${atomPattern}|[^\\s]`, "g"))) {
    if (tag === undefined)
      all.push(/user-mention|data-stream-id/.test(part) ? part : `${open.toSorted().join()} ${part}`.trim());
    else if (slash) open.pop();
    else open.push(tag);
  }
  return all;
}

test("emphasis around anything, nested in any order, is seen as it is written", async () => {
  for (const atom of atoms) atomHtml.set(atom, await seen(atom));

  await fc.assert(
    fc.asyncProperty(nested(["*", "_", "~"]), async (parts) => {
      const html = (await seen(written(parts))).replaceAll("&#x5e;", "^");

      expect(found(html)).toEqual(expected(parts));
    }),
    { numRuns: 500 },
  );
});

test("the work grows with the text alone", () => {
  for (const part of ["*a_~<", "*", "_a *b ~c ", "<", "`", "```a", ">>>\n", ":a", "*`a` "]) {
    const time = (count: number) => {
      const start = process.cpuUsage();
      markup.fromMrkdwn(part.repeat(count));
      return process.cpuUsage(start).user / 1000;
    };
    time(3000);

    expect(Math.min(time(30_000), time(30_000)), part).toBeLessThan(1000);
  }
});
