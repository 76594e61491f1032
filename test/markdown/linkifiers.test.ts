import { describe, expect, test } from "vitest";
import {
  checkLinkifier,
  checkPattern,
  checkTemplate,
  compileLinkifier,
} from "../../shared/core/markdown/linkifiers.ts";
import { newMatchBudget } from "../../shared/core/markdown/match-budget.ts";
import { topicLinks } from "../../shared/core/markdown/topic-links.ts";
import { withCpuTime } from "../support/cpu-time.ts";

describe("the check of a linkifier", () => {
  test.each([
    ["#(?P<id>[0-9]+)", "https://a.test/{id}"],
    ["(?P<org>\\w+)/(?P<repo>\\w+)#(?P<id>\\d+)", "https://a.test/{org}/{repo}/{id}"],
    ["(?i)(?P<q>ticket-\\d+)", "https://a.test/{?q}{&q}{#q}{+q}{q*}{q:3}"],
  ])("accepts %s -> %s", (pattern, template) => {
    expect(checkLinkifier(pattern, template)).toBeUndefined();
  });

  test.each([
    "",
    "(",
    "(?P<a>x)(?P<a>y)",
    "(?P<a>x)(?P=a)",
    "(?<=a)b",
    "(?=a)b",
    "a{2000}",
    "(a{1,100}b?){9}",
    "(?P<linkifier_actual_match>x)",
  ])("refuses the pattern %j", (pattern) => {
    expect(checkPattern(pattern)).toMatch(/^Bad regular expression: .+/);
  });

  test.each(["", "https://a.test/{id", "https://a.test/id}", "https://a.test/{}", "https://a.test/{i d}", "{=id}"])(
    "refuses the template %j",
    (template) => {
      expect(checkTemplate(template)).toBe("Invalid URL template.");
    },
  );

  test("says where a pattern is wrong", () => {
    expect(checkPattern("(a")).toBe("Bad regular expression: missing ): (a");
    expect(checkPattern("a**")).toBe("Bad regular expression: bad repetition operator: **");
  });

  test("names a group that only the template has", () => {
    expect(checkLinkifier("#(?P<id>[0-9]+)", "https://a.test/{id}/{org}")).toEqual({
      url_template: ["Group 'org' in URL template is not present in linkifier pattern."],
    });
  });

  test("names a group that only the pattern has", () => {
    expect(checkLinkifier("(?P<org>a)#(?P<id>[0-9]+)", "https://a.test/{id}")).toEqual({
      pattern: ["Group 'org' in linkifier pattern is not present in URL template."],
    });
  });

  test("says what is wrong with each field", () => {
    expect(checkLinkifier("(", "{")).toEqual({
      pattern: [expect.stringMatching(/^Bad regular expression: /)],
      url_template: ["Invalid URL template."],
    });
  });
});

describe("the links of a topic", () => {
  const tickets = { pattern: "#(?P<id>[0-9]+)", urlTemplate: "https://trac.test/{id}" };
  const issues = { pattern: "(?P<repo>[a-z]+)#(?P<id>[0-9]+)", urlTemplate: "https://git.test/{repo}/{id}" };
  const words = { pattern: "(?P<all>see #[0-9]+)", urlTemplate: "https://all.test/{all}" };

  test.each([
    ["nothing", "lunch", [tickets], []],
    ["a match", "fix #12", [tickets], [["#12", "https://trac.test/12"]]],
    [
      "several, in their order",
      "#2 and #1",
      [tickets],
      [
        ["#2", "https://trac.test/2"],
        ["#1", "https://trac.test/1"],
      ],
    ],
    [
      "next to each other",
      "#1 #2",
      [tickets],
      [
        ["#1", "https://trac.test/1"],
        ["#2", "https://trac.test/2"],
      ],
    ],
    ["not in words", "a#1 #1b", [tickets], []],
    ["the earlier linkifier wins", "see #1", [words, tickets], [["see #1", "https://all.test/see%20%231"]]],
    ["even if its match begins later in the topic", "see #1", [tickets, words], [["#1", "https://trac.test/1"]]],
    [
      "two kinds",
      "skein#7 #8",
      [tickets, issues],
      [
        ["skein#7", "https://git.test/skein/7"],
        ["#8", "https://trac.test/8"],
      ],
    ],
    ["a URL", "see https://a.test/b.", [], [["https://a.test/b", "https://a.test/b"]]],
    ["a host name", "at zulip.com/x!", [], [["zulip.com/x", "https://zulip.com/x"]]],
    [
      "a linkifier before a URL",
      "https://a.test/ #1",
      [tickets],
      [
        ["https://a.test/", "https://a.test/"],
        ["#1", "https://trac.test/1"],
      ],
    ],
    [
      "a linkifier whose template has no scheme",
      "#1",
      [{ pattern: "#(?P<id>[0-9]+)", urlTemplate: "trac.test/{id}" }],
      [["#1", "http://trac.test/1"]],
    ],
    [
      "an invalid linkifier is skipped",
      "#1",
      [{ pattern: "(", urlTemplate: "x" }, tickets],
      [["#1", "https://trac.test/1"]],
    ],
  ])("%s", async (_, topic, linkifiers, expected) => {
    expect(await topicLinks(topic, linkifiers)).toEqual(expected.map(([text, url]) => ({ text, url })));
  });
});

describe("a pattern that reads to the end of the text for each match", () => {
  const slow = compileLinkifier("a[^z]*z|a", "https://a.test/");
  const matchesIn = (text: string, budget = newMatchBudget()) => [...(slow?.matches(text, budget) ?? [])].length;

  test("finds all matches in a string of usual length", () => {
    expect(matchesIn("a ".repeat(100))).toBe(100);
  });

  test("shares its budget with all other strings of the message", () => {
    const budget = newMatchBudget();
    const matchCounts = Array.from({ length: 20 }, () => matchesIn("a ".repeat(100), budget));

    expect(matchCounts.at(0)).toBe(100);
    expect(matchCounts.at(-1)).toBe(0);
  });
});

describe("the steps of linkifiers", () => {
  const longest = "a ".repeat(5000);
  const patterns = [
    "(?P<a>a([^z]*z|[^y]*y|[^x]*x)?)",
    "(?P<a>a(.|\\n)*z|a)",
    "(?P<a>a[^z]*z|a)",
    "(?P<a>(a|b|c|d|e| )*z|a)",
    `(?P<a>${"([^z]?)".repeat(90)}z|a)`,
    "(?P<a>(?:[^z]?){250}z|a)",
    "(?P<a>(\\pL|\\pM|\\pN|\\s){130}z|a)",
    "(?P<a>.*)",
    "(?P<a>a*)",
  ];

  test.each(patterns)("of %s end with the budget, after the same match each time", async (pattern) => {
    const linkifier = compileLinkifier(pattern, "https://a.test/{a}");
    const run = () => [...(linkifier?.matches(longest, newMatchBudget()) ?? [])].map(({ start, end }) => [start, end]);

    const { result, cpuMs } = await withCpuTime(run);

    expect(linkifier).toBeDefined();
    expect(run()).toEqual(result);
    // Usually takes a tenth of this limit. Without a budget these take up to a minute.
    expect(cpuMs).toBeLessThan(1000);
  });

  test("are enough for two hundred usual linkifiers on a message of a thousand characters", () => {
    const budget = newMatchBudget();
    const text = "see #123 and TOOL-4567, or acme/skein#89 and 0123456789abcdef. ".repeat(16).slice(0, 1000);
    const kinds = ["#(?P<id>[0-9]{2,8})", "(?P<id>[A-Z]{2,9}-[0-9]+)", "(?P<id>[0-9a-f]{40})", "(?P<id>JIRA[0-9]+)"];
    const usual = kinds.map((pattern) => compileLinkifier(pattern, "https://a.test/{id}"));
    for (let times = 0; times < 10; times += 1)
      for (const linkifier of usual) expect([...(linkifier?.matches(text, budget) ?? [])]).toBeDefined();

    expect(budget.remainingSteps).toBeGreaterThan(0);
  });

  test("are refused to a template that repeats a long match", () => {
    const linkifier = compileLinkifier("(?P<a>.+)", "{a}".repeat(300));

    expect([...(linkifier?.matches("a".repeat(10_000), newMatchBudget()) ?? [])]).toEqual([]);
    expect([...(linkifier?.matches("ab", newMatchBudget()) ?? [])]).toHaveLength(1);
  });
});
