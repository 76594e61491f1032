import { describe } from "vitest";
import { rendersTo } from "./context.ts";

describe("paragraphs and line breaks", () => {
  rendersTo([
    ["text", "hello", "<p>hello</p>"],
    ["nothing", " \n ", ""],
    ["a line break", "one\ntwo", "<p>one<br>\ntwo</p>"],
    ["a blank line", "one\n\n\ntwo", "<p>one</p>\n<p>two</p>"],
    ["other line ends", "one\r\ntwo\r\n\r\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>"],
    ["indented text", "  one\n   two", "<p>one<br>\n   two</p>"],
    ["HTML is text", "<b onclick='x()'>hi</b> & co", "<p>&lt;b onclick='x()'&gt;hi&lt;/b&gt; &amp; co</p>"],
    ["entities stay", "&copy; &#169; &#xA9; &nosemicolon", "<p>&copy; &#169; &#xA9; &amp;nosemicolon</p>"],
    ["a status message keeps its command", "/me waves", "<p>/me waves</p>"],
  ]);
});

describe("headings and rules", () => {
  rendersTo([
    ["six levels", "# a\n###### b", "<h1>a</h1>\n<h6>b</h6>"],
    ["with text around", "before\n## head\nafter", "<p>before</p>\n<h2>head</h2>\n<p>after</p>"],
    ["closed by marks", "## head ##", "<h2>head</h2>"],
    ["an escaped closing mark stays", "# C\\#", "<h1>C\\#</h1>"],
    ["inline markup in a heading", "# a *b* `c`", "<h1>a <em>b</em> <code>c</code></h1>"],
    ["in a quote", "> # a", "<blockquote>\n<h1>a</h1>\n</blockquote>"],
    ["seven marks are text", "####### a", "<p>####### a</p>"],
    ["marks without a blank are text", "#12", "<p>#12</p>"],
    ["underlined text is not a heading", "a\n=", "<p>a<br>\n=</p>"],
    ["a rule", "a\n\n---\n\nb", "<p>a</p>\n<hr>\n<p>b</p>"],
    ["a rule between lines", "a\n***\nb", "<p>a</p>\n<hr>\n<p>b</p>"],
    ["a spaced rule", "- - -", "<hr>"],
    ["two dashes are text", "--", "<p>--</p>"],
  ]);
});

describe("lists", () => {
  rendersTo([
    ["directly after text", "list:\n* a\n* b", "<p>list:</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>"],
    ["all bullets are one list", "* a\n- b\n+ c", "<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>"],
    [
      "nested by two spaces",
      "* a\n  * b\n    * c",
      "<ul>\n<li>a<ul>\n<li>b<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>",
    ],
    ["numbers in bullets", "* a\n  1. b", "<ul>\n<li>\n<p>a</p>\n<ol>\n<li>b</li>\n</ol>\n</li>\n</ul>"],
    ["the first number counts", "7. a\n3. b", '<ol start="7">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ["a blank line makes paragraphs", "* a\n\n* b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>"],
    ["a second paragraph", "* a\n\n  b", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n</ul>"],
    ["a lazy line", "* a\nb", "<ul>\n<li>a<br>\nb</li>\n</ul>"],
    ["a quote in an item", "* > a", "<ul>\n<li>\n<blockquote>\n<p>a</p>\n</blockquote>\n</li>\n</ul>"],
    ["in a quote", "> 1. a\n> 2. b", "<blockquote>\n<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n</blockquote>"],
    ["bullets then numbers", "* a\n1. b", "<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>"],
    ["bullets and numbers without a blank are text", "*a\n1.b", "<p>*a<br>\n1.b</p>"],
    ["a bullet alone is text", "*", "<p>*</p>"],
  ]);
});

describe("quotes", () => {
  rendersTo([
    ["a line", "> a", "<blockquote>\n<p>a</p>\n</blockquote>"],
    ["lazy continuation", "> a\nb", "<blockquote>\n<p>a<br>\nb</p>\n</blockquote>"],
    ["after text", "a\n> b", "<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>"],
    ["nested", "> a\n> > b", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b</p>\n</blockquote>\n</blockquote>"],
    [
      "two quotes with a blank line between them",
      "> a\n\n> b",
      "<blockquote>\n<p>a</p>\n</blockquote>\n<blockquote>\n<p>b</p>\n</blockquote>",
    ],
    ["paragraphs in one", "> a\n>\n> b", "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>"],
    ["an empty quote is text", "> ", "<p>&gt; </p>"],
    ["not in the middle of a line", "a > b", "<p>a &gt; b</p>"],
  ]);
});

describe("tables", () => {
  const head = "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n";
  const tail = "</tr>\n</tbody>\n</table>";
  rendersTo([
    ["plain", "a | b\n--|--\nc | d", `${head}<td>c</td>\n<td>d</td>\n${tail}`],
    ["bordered", "| a | b |\n|---|---|\n| c | d |", `${head}<td>c</td>\n<td>d</td>\n${tail}`],
    ["markup in cells", "a | b\n--|--\n*c* | `x|y`", `${head}<td><em>c</em></td>\n<td><code>x|y</code></td>\n${tail}`],
    ["a missing cell", "a | b\n--|--\nc", `${head}<td>c</td>\n<td></td>\n${tail}`],
    ["no rows", "a | b\n--|--", `${head}<td></td>\n<td></td>\n${tail}`],
    [
      "alignment",
      "a | b | c\n:-|-:|:-:\n1 | 2 | 3",
      '<table>\n<thead>\n<tr>\n<th style="text-align: left;">a</th>\n<th style="text-align: right;">b</th>\n<th style="text-align: center;">c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align: left;">1</td>\n<td style="text-align: right;">2</td>\n<td style="text-align: center;">3</td>\n</tr>\n</tbody>\n</table>',
    ],
    ["without a rule it is text", "a | b\nc | d", "<p>a | b<br>\nc | d</p>"],
    ["a rule of another width", "a | b\n--\nc | d", "<p>a | b<br>\n--<br>\nc | d</p>"],
  ]);
});
