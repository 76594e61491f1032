import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { rendersTo, testContext } from "./context.ts";

const link = (href: string, text = href) => `<a href="${href}">${text}</a>`;

const emoji = (code: string, name: string) =>
  `<span aria-label="${name}" class="emoji emoji-${code}" role="img" title="${name}">:${name}:</span>`;

describe("links with text", () => {
  rendersTo([
    ["plain", "[a b](https://a.test/x)", `<p>${link("https://a.test/x", "a b")}</p>`],
    ["a title", '[a](https://a.test "b c")', '<p><a href="https://a.test" title="b c">a</a></p>'],
    ["parentheses in pairs", "[a](https://a.test/(b)c)", `<p>${link("https://a.test/(b)c", "a")}</p>`],
    ["angle brackets", "[a](<https://a.test/b c>)", `<p>${link("https://a.test/b%20c", "a")}</p>`],
    ["brackets in the text", "[a [b] c](/u)", `<p>${link("/u", "a [b] c")}</p>`],
    ["no scheme", "[a](b.test)", `<p>${link("http://b.test", "a")}</p>`],
    ["an address", "[a](b@c.test)", `<p>${link("mailto:b@c.test", "a")}</p>`],
    ["a fragment", "[a](#narrow/x)", `<p>${link("#narrow/x", "a")}</p>`],
    ["no text", "[](https://a.test)", `<p>${link("https://a.test")}</p>`],
    ["code in the text", "[`a`](/u)", `<p>${link("/u", "<code>a</code>")}</p>`],
    ["emphasis in the text is text", "[*a*](/u)", `<p>${link("/u", "*a*")}</p>`],
    ["in emphasis", "**[a](/u)**", `<p><strong>${link("/u", "a")}</strong></p>`],
    ["in a list", "* [a](/u)", `<ul>\n<li>${link("/u", "a")}</li>\n</ul>`],
    ["no images", "![a](/u.png)", "<p>![a](/u.png)</p>"],
    ["no references", "[a][b]\n\n[b]: /u", "<p>[a][b]</p>\n<p>[b]: /u</p>"],
    ["not closed", "[a](/u", "<p>[a](/u</p>"],
    ["quotation marks are escaped", '[a](/u"x)', '<p><a href="/u&quot;x">a</a></p>'],
  ]);
});

describe("schemes", () => {
  rendersTo([
    ["ftp", "[a](ftp://b.test)", `<p>${link("ftp://b.test", "a")}</p>`],
    ["sftp", "[a](sftp://b.test/c)", `<p>${link("sftp://b.test/c", "a")}</p>`],
    ["tel", "[a](tel:+123)", `<p>${link("tel:+123", "a")}</p>`],
    ["xmpp", "[a](xmpp:b@c.test)", `<p>${link("xmpp:b@c.test", "a")}</p>`],
    ["file URLs are text", "[a](file:///etc/passwd)", "<p>[a](file:///etc/passwd)</p>"],
    ["scripts are text", "[a](javascript:alert)", "<p>[a](javascript:alert)</p>"],
    ["disguised scripts are text", "[a](  JaVaScRiPt:alert)", "<p>[a](  JaVaScRiPt:alert)</p>"],
    ["data is text", "[a](data:text/html,b)", "<p>[a](data:text/html,b)</p>"],
    ["vbscript is text", "[a](vbscript:b)", "<p>[a](vbscript:b)</p>"],
    ["unknown ones are text", "[a](foo:b)", "<p>[a](foo:b)</p>"],
  ]);
});

describe("links to the own server", () => {
  rendersTo([
    [
      "a conversation",
      "http://chat.test/#narrow/dm/7",
      `<p>${link("#narrow/dm/7", "http://chat.test/#narrow/dm/7")}</p>`,
    ],
    ["a file", "[f](http://chat.test/user_uploads/1/f.txt)", `<p>${link("/user_uploads/1/f.txt", "f")}</p>`],
    ["other paths stay absolute", "http://chat.test/help", `<p>${link("http://chat.test/help")}</p>`],
    ["another server", "http://chat.test.evil.com/#narrow", `<p>${link("http://chat.test.evil.com/#narrow")}</p>`],
  ]);
});

describe("URLs in text", () => {
  rendersTo([
    ["plain", "see https://a.test/b?c=d#e now", `<p>see ${link("https://a.test/b?c=d#e")} now</p>`],
    ["closing punctuation", "(https://a.test/b).", `<p>(${link("https://a.test/b")}).</p>`],
    ["any host with a scheme", "http://localhost:9991/", `<p>${link("http://localhost:9991/")}</p>`],
    ["a known domain", "go to zulip.com/x, then", `<p>go to ${link("http://zulip.com/x", "zulip.com/x")}, then</p>`],
    ["file endings", "a.py b.md c.zip d.mov e.java", "<p>a.py b.md c.zip d.mov e.java</p>"],
    ["an unknown domain", "a.notadomain", "<p>a.notadomain</p>"],
    ["an address", "ann@example.com!", `<p>${link("mailto:ann@example.com", "ann@example.com")}!</p>`],
    ["directly in emphasis", "**https://a.test**", "<p><strong>https://a.test</strong></p>"],
    ["ampersands", "https://a.test/?b=c&d=e", `<p>${link("https://a.test/?b=c&amp;d=e")}</p>`],
    ["a query straight after the host", "https://a.test?b=c.", `<p>${link("https://a.test?b=c")}.</p>`],
    ["a fragment straight after the host", "https://a.test:8#b/(c)?", `<p>${link("https://a.test:8#b/(c)")}?</p>`],
    ["after letters without a space", "看https://a.test/b。好", `<p>看${link("https://a.test/b")}。好</p>`],
    [
      "after a long vowel or a joined word",
      "サーバーhttps://a.test وhttps://a.test",
      `<p>サーバー${link("https://a.test")} و${link("https://a.test")}</p>`,
    ],
    ["a host between letters", "请看example.com谢谢", `<p>请看${link("http://example.com", "example.com")}谢谢</p>`],
    [
      "a host and an address of email after letters of two scripts",
      "URLはgoogle.comです PRはgithub.com/x/y 2024年google.com 登录163.com邮箱 IDはadmin@y.comです a.comとb.comへ",
      `<p>URLは${link("http://google.com", "google.com")}です PRは${link("http://github.com/x/y", "github.com/x/y")} 2024年${link("http://google.com", "google.com")} 登录${link("http://163.com", "163.com")}邮箱 IDは${link("mailto:admin@y.com", "admin@y.com")}です ${link("http://a.com", "a.com")}とb.comへ</p>`,
    ],
    [
      "an ending of the sentence behind the host",
      "https://a.co.kr:8에서 b.com을/를",
      `<p>${link("https://a.co.kr:8")}에서 ${link("http://b.com", "b.com")}을/를</p>`,
    ],
    [
      "in brackets and before punctuation without a space",
      '见(https://a.test)中 (https://a.test/b)은 "https://a.test/b"은 看https://a.test,谢 (a.com)中 (b@a.com)中 a.com.中',
      `<p>见(${link("https://a.test")})中 (${link("https://a.test/b")})은 "${link("https://a.test/b")}"은 看${link("https://a.test")},谢 (${link("http://a.com", "a.com")})中 (${link("mailto:b@a.com", "b@a.com")})中 ${link("http://a.com", "a.com")}.中</p>`,
    ],
    [
      "before an emoji or an apostrophe",
      "a.com🎉 b@a.com🎉 a.com’s",
      `<p>${link("http://a.com", "a.com")}${emoji("1f389", "tada")} ${link("mailto:b@a.com", "b@a.com")}${emoji("1f389", "tada")} ${link("http://a.com", "a.com")}’s</p>`,
    ],
    ["a host of such letters", "日本語.jp", `<p>${link("http://日本語.jp", "日本語.jp")}</p>`],
    [
      "an address between letters",
      "메일은ann@example.com으로",
      `<p>메일은${link("mailto:ann@example.com", "ann@example.com")}으로</p>`,
    ],
    [
      "in CJK punctuation",
      "「https://a.test」、（https://b.test）",
      `<p>「${link("https://a.test")}」、（${link("https://b.test")}）</p>`,
    ],
    [
      "after an emoji",
      "🎉https://a.test ❤️b.com",
      `<p>${emoji("1f389", "tada")}${link("https://a.test")} ${emoji("2764", "heart")}${link("http://b.com", "b.com")}</p>`,
    ],
    ["in typographic quotes", "“https://a.test”", `<p>“${link("https://a.test")}”</p>`],
    ["in brackets of CJK", "（https://a.test?b=c）です", `<p>（${link("https://a.test?b=c")}）です</p>`],
    [
      "before the end of a sentence of other languages",
      "https://a.test/b؟ a.com، https://a.test/b۔ a.com। https://a.test/b?c=d။ a.com។ https://a.test/b։ a.com።",
      `<p>${link("https://a.test/b")}؟ ${link("http://a.com", "a.com")}، ${link("https://a.test/b")}۔ ${link("http://a.com", "a.com")}। ${link("https://a.test/b?c=d")}။ ${link("http://a.com", "a.com")}។ ${link("https://a.test/b")}։ ${link("http://a.com", "a.com")}።</p>`,
    ],
    [
      "such a character within a path",
      "https://a.test/ジョン・レノン・ a.com・",
      `<p>${link("https://a.test/ジョン・レノン")}・ ${link("http://a.com", "a.com")}・</p>`,
    ],
    [
      "in other brackets",
      "［https://a.test/b］〔a.com〕｢https://a.test/b｣｡ ‹a.com› „a.com“ ‚https://a.test/b‘ https://a.test/b—",
      `<p>［${link("https://a.test/b")}］〔${link("http://a.com", "a.com")}〕｢${link("https://a.test/b")}｣｡ ‹${link("http://a.com", "a.com")}› „${link("http://a.com", "a.com")}“ ‚${link("https://a.test/b")}‘ ${link("https://a.test/b")}—</p>`,
    ],
    ["before a dash", "https://a.test:8—b", `<p>${link("https://a.test:8")}—b</p>`],
    [
      "before an ellipsis",
      "https://a.test/b… b.com…",
      `<p>${link("https://a.test/b")}… ${link("http://b.com", "b.com")}…</p>`,
    ],
    ["before an apostrophe", "https://a.test’s", `<p>${link("https://a.test")}’s</p>`],
    ["between marks of direction", "\u2067https://a.test\u2069", `<p>\u2067${link("https://a.test")}\u2069</p>`],
    ["before a space that nobody sees", "https://a.test?b\u200bc", `<p>${link("https://a.test?b")}\u200bc</p>`],
    ["in capitals", "Https://a.test?b=c", `<p>${link("https://a.test?b=c", "Https://a.test?b=c")}</p>`],
    ["a host's query", "b.com?c=d&e=f.", `<p>${link("http://b.com?c=d&amp;e=f", "b.com?c=d&amp;e=f")}.</p>`],
    ["a host and a question", "b.com?Yes", "<p>b.com?Yes</p>"],
    ["a host with an @ in its path", "b.com/@ann", `<p>${link("http://b.com/@ann", "b.com/@ann")}</p>`],
    ["not inside of a word", "xhttps://a.test йhttps://a.test", "<p>xhttps://a.test йhttps://a.test</p>"],
    ["in code", "`https://a.test`", "<p><code>https://a.test</code></p>"],
    ["unpaired parentheses", "https://a.test/b)c", "<p>https://a.test/b)c</p>"],
    ["scripts", "javascript://a.test", "<p>javascript://a.test</p>"],
  ]);
});

describe("linkifiers", () => {
  const linkifiers = async () => [
    { pattern: "#(?P<id>[0-9]{2,8})", urlTemplate: "https://trac.test/{id}" },
    { pattern: "(?P<repo>[a-z]+)#(?P<id>[0-9]+)", urlTemplate: "https://git.test/{repo}/{id}" },
    { pattern: "x(?P<q>.+)x", urlTemplate: "https://find.test/{?q}" },
    { pattern: "none(?P<id>[0-9])", urlTemplate: "https://[{id}" },
  ];
  rendersTo(
    [
      ["a word", "see #224.", `<p>see ${link("https://trac.test/224", "#224")}.</p>`],
      [
        "next to each other",
        "#22 #33,#44",
        `<p>${link("https://trac.test/22", "#22")} ${link("https://trac.test/33", "#33")},${link("https://trac.test/44", "#44")}</p>`,
      ],
      ["two groups", "skein#7", `<p>${link("https://git.test/skein/7", "skein#7")}</p>`],
      ["no URL", "none7", "<p>none7</p>"],
      ["values are encoded", "xa b/cx", `<p>${link("https://find.test/?q=a%20b%2Fc", "xa b/cx")}</p>`],
      [
        "values of what is rendered",
        "xa @**Zoe** `b`x",
        `<p>${link("https://find.test/?q=a%20%40Zoe%20b", 'xa <span class="user-mention" data-user-id="7">@Zoe</span> <code>b</code>x')}</p>`,
      ],
      ["directly in emphasis", "**#224**", "<p><strong>#224</strong></p>"],
      ["in a list", "* #224", `<ul>\n<li>${link("https://trac.test/224", "#224")}</li>\n</ul>`],
      ["not in words", "A#224 #224b", "<p>A#224 #224b</p>"],
      ["not in code or links", "`#224` [#224](/u)", `<p><code>#224</code> ${link("/u", "#224")}</p>`],
    ],
    { linkifiers },
  );
});

test("lists the uploaded files that are linked", async () => {
  const rendered = await renderMarkdown(
    "https://a.test [f](/user_uploads/1/ab/f.txt) [g](http://chat.test/user_uploads/1/g.txt) [h](http://evil.test/user_uploads/1/h.txt) `https://b.test`",
    testContext(),
  );

  expect(rendered.uploadPaths).toEqual(["/user_uploads/1/ab/f.txt", "/user_uploads/1/g.txt"]);
});
