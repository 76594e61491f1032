import { describe, expect, test } from "vitest";
import { parseTime } from "../../shared/core/markdown/time.ts";
import { rendersTo } from "./context.ts";

describe("emphasis", () => {
  rendersTo([
    ["strong", "a **b c** d", "<p>a <strong>b c</strong> d</p>"],
    ["emphasis", "a *b c* d", "<p>a <em>b c</em> d</p>"],
    ["both", "***a***", "<p><strong><em>a</em></strong></p>"],
    ["deleted", "~~a b~~", "<p><del>a b</del></p>"],
    ["nested", "~~**a *b* c**~~", "<p><del><strong>a <em>b</em> c</strong></del></p>"],
    ["in a word", "un*frigging*believable", "<p>un<em>frigging</em>believable</p>"],
    ["not by underscores", "_a_ __b__ snake_case_name", "<p>_a_ __b__ snake_case_name</p>"],
    ["not with a blank inside", "2 * 3 * 4", "<p>2 * 3 * 4</p>"],
    ["not over line ends", "**a\nb** *c\nd*", "<p>**a<br>\nb** *c<br>\nd*</p>"],
    ["not closed", "**a *b ~~c", "<p>**a *b ~~c</p>"],
    ["three tildes", "~~~a~~~", "<p>~~~a~~~</p>"],
    ["not in code", "`*a*` **`b`**", "<p><code>*a*</code> <strong><code>b</code></strong></p>"],
  ]);
});

describe("code spans", () => {
  rendersTo([
    ["plain", "`a < b && c`", "<p><code>a &lt; b &amp;&amp; c</code></p>"],
    ["backticks inside", "``a ` b``", "<p><code>a ` b</code></p>"],
    ["blanks at the ends", "` a `", "<p><code> a </code></p>"],
    ["two on a line", "`a` `b`", "<p><code>a</code> <code>b</code></p>"],
    ["of different lengths", "```a`", "<p><code>``a</code></p>"],
    ["an escaped backtick", "\\`a`", "<p>\\`a`</p>"],
    ["an escaped backslash", "\\\\`a`", "<p>\\<code>a</code></p>"],
    ["not closed", "`a", "<p>`a</p>"],
    ["empty", "``", "<p>``</p>"],
  ]);
});

describe("global times", () => {
  const time = (iso: string, text: string) => `<p><time datetime="${iso}">${text}</time></p>`;
  const error = (text: string) => `<p><span class="timestamp-error">Invalid time format: ${text}</span></p>`;
  rendersTo([
    ["seconds", "<time:1496701800>", time("2017-06-05T22:30:00Z", "1496701800")],
    ["ISO with a zone", "<time:2026-11-21T14:00:00+02:00>", time("2026-11-21T12:00:00Z", "2026-11-21T14:00:00+02:00")],
    ["ISO in UTC", "<time:2026-11-21T14:00:00Z>", time("2026-11-21T14:00:00Z", "2026-11-21T14:00:00Z")],
    ["a day", "<time:2026-11-21>", time("2026-11-21T00:00:00Z", "2026-11-21")],
    ["words", "<time:21 November 2026 2pm>", time("2026-11-21T14:00:00Z", "21 November 2026 2pm")],
    [
      "words with a weekday and a zone",
      "<time:Sat, Nov 21 2026 09:30 EST>",
      time("2026-11-21T14:30:00Z", "Sat, Nov 21 2026 09:30 EST"),
    ],
    ["a compact form", "<time:20270125T130000Z>", time("2027-01-25T13:00:00Z", "20270125T130000Z")],
    ["names with hyphens", "<time:14-Nov-2027 09:05>", time("2027-11-14T09:05:00Z", "14-Nov-2027 09:05")],
    ["an abbreviated month", "<time:Sept. 5, 2027 9:00>", time("2027-09-05T09:00:00Z", "Sept. 5, 2027 9:00")],
    ["a zone of Asia", "<time:2027-01-05 9:00 KST>", time("2027-01-05T00:00:00Z", "2027-01-05 9:00 KST")],
    ["digits of full width", "<time:２０２７-01-05 ９:００>", time("2027-01-05T09:00:00Z", "２０２７-01-05 ９:００")],
    ["digits of Arabic", "<time:٢٠٢٧-01-05>", time("2027-01-05T00:00:00Z", "٢٠٢٧-01-05")],
    ["a zone half an hour off", "<time:2027-01-05 9:00 ACDT>", time("2027-01-04T22:30:00Z", "2027-01-05 9:00 ACDT")],
    [
      "a sign after GMT, as in POSIX",
      "<time:Jan 5 2027 9:00 GMT+1>",
      time("2027-01-05T10:00:00Z", "Jan 5 2027 9:00 GMT+1"),
    ],
    ["an unknown zone", "<time:2027-01-05 9:00 XYZ>", error("2027-01-05 9:00 XYZ")],
    ["letters that begin like a month", "<time:junk>", error("junk")],
    ["a zone a day and more ahead", "<time:1969-12-31T00:00:00+32:00>", error("1969-12-31T00:00:00+32:00")],
    ["a moment before the first year", "<time:0001-01-01T01:00:00+02:00>", error("0001-01-01T01:00:00+02:00")],
    ["a day that does not exist", "<time:2026-02-30>", error("2026-02-30")],
    ["something else", "<time:soon *x*>", error("soon *x*")],
    ["nothing", "<time:>", error("")],
    ["not closed", "<time:1496701800", "<p>&lt;time:1496701800</p>"],
    ["in code", "`<time:1>`", "<p><code>&lt;time:1&gt;</code></p>"],
  ]);
});

test("a weekday without a date is the next one", () => {
  const sunday = new Date("2026-11-29T10:00:00Z");
  expect(parseTime("Friday 3pm", sunday)).toBe("2026-12-04T15:00:00Z");
  expect(parseTime("Sunday 3pm", sunday)).toBe("2026-11-29T15:00:00Z");
});

describe("emoji", () => {
  const emoji = (code: string, name: string) =>
    `<span aria-label="${name.replaceAll("_", " ")}" class="emoji emoji-${code}" role="img" title="${name.replaceAll("_", " ")}">:${name}:</span>`;
  rendersTo([
    ["a name", ":smile:", `<p>${emoji("1f604", "smile")}</p>`],
    ["an alias", ":thumbs_up:", `<p>${emoji("1f44d", "thumbs_up")}</p>`],
    ["characters", "😄👍", `<p>${emoji("1f604", "smile")}${emoji("1f44d", "+1")}</p>`],
    ["a flag", "🇫🇷", `<p>${emoji("1f1eb-1f1f7", "flag_france")}</p>`],
    ["a keycap", "3️⃣", `<p>${emoji("0033-20e3", "three")}</p>`],
    ["text characters stay", "1 # © ↔", "<p>1 # © ↔</p>"],
    ["in emphasis", "**:heart:**", `<p><strong>${emoji("2764", "heart")}</strong></p>`],
    ["in link text they stay", "[:smile:](/u)", '<p><a href="/u">:smile:</a></p>'],
    ["unknown", ":no_such_thing:", "<p>:no_such_thing:</p>"],
    ["in code", "`:smile:`", "<p><code>:smile:</code></p>"],
    [
      "the service's own",
      ":zulip:",
      '<p><img alt=":zulip:" class="emoji" src="/static/generated/emoji/images/emoji/unicode/zulip.png" title="zulip"></p>',
    ],
    [
      "the organization's own",
      ":green_tick:",
      '<p><img alt=":green_tick:" class="emoji" src="/user_avatars/1/emoji/images/5.png" title="green tick"></p>',
    ],
    ["emoticons are text by default", ":) <3", "<p>:) &lt;3</p>"],
  ]);

  describe("emoticons translated", () => {
    rendersTo(
      [
        ["words of their own", ":) <3", `<p>${emoji("1f642", "slight_smile")} ${emoji("2764", "heart")}</p>`],
        [
          "smiles and open mouths",
          ":D :o :O",
          ["1f604 smile", "1f62e open_mouth", "1f62e open_mouth"]
            .map((codeAndName) => emoji(...(codeAndName.split(" ") as [string, string])))
            .join(" ")
            .replace(/^(.*)$/, "<p>$1</p>"),
        ],
        ["beside punctuation", "(:/)", `<p>(${emoji("1f615", "confused")})</p>`],
        ["not in words", "http:/x a:)b", "<p>http:/x a:)b</p>"],
        ["not in code", "`:)`", "<p><code>:)</code></p>"],
      ],
      { translateEmoticons: true },
    );
  });
});
