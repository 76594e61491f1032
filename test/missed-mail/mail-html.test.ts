import { expect, test } from "vitest";
import { mailHtml } from "../../shared/messaging/missed-mail/html.ts";

const ownUrl = "https://chat.example";
const render = (html: string, maxLength = 1500) => mailHtml(html, ownUrl, maxLength);

test.each([
  [
    "formatting that mail can show",
    "<p>a <strong>b</strong> <em>c</em><br>\n<code>d</code></p>\n<ol>\n<li>e</li>\n</ol>",
  ],
  ["links to other sites", '<p><a href="https://example.com/?a=1&amp;b=2">there</a></p>'],
  ["links to mail addresses", '<p><a href="mailto:ada@acme.test">Ada</a></p>'],
  ["escaped characters", "<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt;</p>"],
])("%s are kept in a mail", (_, html) => {
  expect(render(html)).toBe(html);
});

test.each([
  [
    "a link to a conversation",
    '<a class="stream" data-stream-id="1" href="/#narrow/channel/1-a">#a</a>',
    '<a href="https://chat.example/#narrow/channel/1-a">#a</a>',
  ],
  ["a link to a place in the app", '<a href="#settings">s</a>', '<a href="https://chat.example/#settings">s</a>'],
  [
    "a link to a file",
    '<a href="user_uploads/1/a.txt">a</a>',
    '<a href="https://chat.example/user_uploads/1/a.txt">a</a>',
  ],
  ["an address without a scheme", '<a href="//example.com/">e</a>', '<a href="https://example.com/">e</a>'],
  ["a mention", '<span class="user-mention" data-user-id="3">@Ann</span>', "@Ann"],
  ["an emoji", '<span aria-label="smile" class="emoji emoji-1f604" role="img" title="smile">:smile:</span>', "😄"],
  ["an emoji of the organization", '<img alt=":tick:" class="emoji" src="/x.png" title="tick">', ":tick:"],
  ["a time", '<time datetime="2026-11-21T20:00:00Z">21 November</time>', "21 November"],
  [
    "code in color",
    '<div class="codehilite"><pre><span></span><code><span class="k">if</span> a\n</code></pre></div>',
    "<pre><code>if a\n</code></pre>",
  ],
  [
    "a table",
    '<table>\n<thead>\n<tr>\n<th style="text-align: left;">a</th>\n</tr>\n</thead>\n</table>',
    "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table>",
  ],
  [
    "a picture",
    '<p><a href="/user_uploads/1/a.png">a</a></p>\n<div class="message_inline_image"><a href="/user_uploads/1/a.png"><img src="/user_uploads/thumbnail/1/a.png/840x560.webp"></a></div>',
    '<p><a href="https://chat.example/user_uploads/1/a.png">a</a></p>\n',
  ],
  [
    "a sound",
    '<p><audio controls="controls" preload="metadata" src="/user_uploads/1/a.mp3" title="a &amp; b"></audio></p>',
    '<p><a href="https://chat.example/user_uploads/1/a.mp3">a &amp; b</a></p>',
  ],
  [
    "a spoiler",
    '<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>They die</p>\n</div></div>',
    "\n<p>The end</p>\n(…)",
  ],
])("%s is rendered for mail", (_, html, expected) => {
  expect(render(html)).toBe(expected);
});

test.each([
  '<p><img src="https://spy.example/1.gif"></p>',
  "<script>alert(1)</script>",
  '<p onclick="alert(1)" style="background:url(https://spy.example)">a</p>',
  '<a href="javascript:alert(1)">a</a>',
  '<a href="java&#115;cript:alert(1)">a</a>',
  '<a href="data:text/html,x">a</a>',
  '<IMG SRC="https://spy.example/1.gif">',
  '<iframe src="https://spy.example"></iframe><link rel="stylesheet" href="https://spy.example">',
  '<!-- --><svg onload="alert(1)"><a href="https://x.test/" onclick="x">b</a></svg>',
  '<a href="https://x.test/" <b>',
  '</p></div><p class="',
])("%s becomes only text and safe links", (html) => {
  const withoutSafeTags = render(html).replace(/<\/?(p|a)>|<a href="https:\/\/x\.test\/">/g, "");

  expect(withoutSafeTags).not.toMatch(/[<>]/);
});

test("a long message is truncated with all elements closed and no character split", () => {
  const truncated = render(`<blockquote>\n<p>${"&amp;💬".repeat(50)}</p>\n</blockquote>`, 20);

  expect(truncated).toBe(`<blockquote>\n<p>${"&amp;💬".repeat(9)}…</p></blockquote>`);
});

test("a message with much markup is truncated too", () => {
  const truncated = render(`<p>${'<a href="https://example.com/">x</a>'.repeat(10_000)}</p>`, 1000);

  expect(truncated.length).toBeLessThan(6000);
  expect(truncated.endsWith("…</a></p>")).toBe(true);
});
