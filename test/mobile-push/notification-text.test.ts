import { expect, test } from "vitest";
import { notificationText } from "../../shared/messaging/notifications/text.ts";

test.each([
  ["<p>one<br>\ntwo</p>\n<p>three &lt;b&gt; &amp;lt;</p>", "one\ntwo\nthree <b> &lt;"],
  ['<p>@<span class="user-mention" data-user-id="3">Ann</span></p>', "@Ann"],
  ['<p><span aria-label="smile" class="emoji emoji-1f604" role="img" title="smile">:smile:</span></p>', "😄"],
  ['<p><img alt=":tick:" class="emoji" src="/x.png" title="tick"></p>', ":tick:"],
  [
    '<p>so <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">x &lt; 2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span class="base"><span class="mord">x</span></span>2</span></span> holds</p>',
    "so x < 2 holds",
  ],
  ["<ul>\n<li>a</li>\n<li>b</li>\n</ul>", "• a\n• b"],
  ["<blockquote>\n<p>said</p>\n</blockquote>\n<p>yes</p>", "> said\nyes"],
  [
    '<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>They die</p>\n</div></div>',
    "The end\n(…)",
  ],
  [
    '<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<div class="spoiler-block"><div class="spoiler-header">\n</div><div class="spoiler-content" aria-hidden="true">\n<p>He</p>\n</div></div>\n<p>They die</p>\n</div></div>\n<p>after</p>',
    "The end\n(…)\nafter",
  ],
])("%s", (html, text) => {
  expect(notificationText(html)).toBe(text);
});

test("a long text is truncated to 200 characters without splitting one", () => {
  const text = notificationText(`<p>${"💬".repeat(300)}</p>`);

  expect([...text]).toHaveLength(200);
  expect(text.endsWith("💬…")).toBe(true);
});
