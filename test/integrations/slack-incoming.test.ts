import { beforeAll, expect, test } from "vitest";
import { anIntegration, type Posted } from "./deliveries.ts";

/** Payloads of https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and its pages about formatting. */

let posted: (payload: unknown, options?: { headers?: Record<string, string> }) => Promise<Posted | undefined>;
beforeAll(async () => {
  ({ posted } = await anIntegration("slack_incoming"));
});

const contentOf = async (payload: unknown) => (await posted(payload))?.content;

test("a text, with the channel as the topic", async () => {
  expect(await posted({ text: "Hello, world.", channel: "#builds", icon_emoji: ":ghost:" })).toEqual({
    topic: "builds",
    content: ":ghost: Hello, world.",
  });
});

test("a form with the payload as JSON, as older services send it", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };

  const message = await posted(`payload=${encodeURIComponent('{"text":"a + b & c"}')}`, { headers });

  expect(message?.content).toBe("a + b & c");
});

test.each([
  ["*bold* _italic_ ~struck~ `*code*`", "**bold** *italic* ~~struck~~ `*code*`"],
  ["2 * 3 * 4, snake_case_name", "2 * 3 * 4, snake_case_name"],
  ["<https://example.com/a?b=(c)|See [this]>", "[See this](https://example.com/a?b=%28c%29)"],
  ["<https://example.com>", "https://example.com/"],
  [
    "<mailto:bob@example.com|Bob>, <@U024BE7LH>, <#C1|general>, <!here>, <!subteam^S1|@team>",
    "[Bob](mailto:bob@example.com), @U024BE7LH, #general, @here, @team",
  ],
  [
    "<mailto:bob@example.com?subject=a b|Write (now)>, <mailto:bob@example.com|bob@example.com>, <mailto:bob@example.com?cc=a@b.com>",
    "[Write (now)](mailto:bob@example.com?subject=a%20b), bob@example.com, bob@example.com",
  ],
  [
    "<tel:+1 (555) 0100|call us>, <sms:+15550100|(555) 0100>",
    "[call us](tel:+1%20%28555%29%200100), [(555) 0100](sms:+15550100)",
  ],
  ["<ftp://example.com/a(b)|files>, <ftp://example.com/>", "[files](ftp://example.com/a%28b%29), ftp://example.com/"],
  ["<tel:+15550100|+1 555 0100>, <tel:+15550100>, `<tel:+1|call>`", "+1 555 0100, +15550100, `call`"],
  ["<slack://open?team=T1&amp;id=C1|Open Slack>, <geo:1,2>", "Open Slack, geo:1,2"],
  [
    "<javascript:alert(1)|click>, <JavaScript://x|click>, <data:text/html,x|click>, <file:///etc|click>",
    "click, click, click, click",
  ],
])("the markup of %s", async (text, content) => {
  expect(await contentOf({ text })).toBe(content);
});

test("blocks, in place of the text", async () => {
  const content = await contentOf({
    text: "Danny Torrence left a 1 star review for your property.",
    blocks: [
      { type: "header", text: { type: "plain_text", text: "Reviews" } },
      {
        type: "section",
        text: { type: "mrkdwn", text: "Danny left the following *review*:" },
        accessory: { type: "image", image_url: "https://example.com/view.png", alt_text: "Haunted hotel" },
      },
      { type: "divider" },
      {
        type: "section",
        fields: [
          { type: "mrkdwn", text: "*Average*\n1.0" },
          { type: "mrkdwn", text: "_Rooms_" },
        ],
      },
      {
        type: "actions",
        elements: [{ type: "button", text: { type: "plain_text", text: "Open" }, url: "https://example.com/" }],
      },
      {
        type: "context",
        elements: [
          { type: "mrkdwn", text: "by *Danny*" },
          { type: "image", image_url: "https://example.com/i.png", alt_text: "i" },
        ],
      },
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "See " },
              { type: "link", url: "https://example.com/", text: "it" },
            ],
          },
          {
            type: "rich_text_list",
            elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "one" }] }],
          },
        ],
      },
      { type: "unknown" },
    ],
  });

  expect(content).toBe(
    [
      "## Reviews",
      "Danny left the following **review**:\n\n[Haunted hotel](https://example.com/view.png)",
      "----",
      "**Average**\n1.0\n\n*Rooms*",
      "[Open](https://example.com/)",
      "by **Danny** [i](https://example.com/i.png)",
      "See [it](https://example.com/)\n* one",
    ].join("\n\n"),
  );
});

test("plain texts of blocks have no marks", async () => {
  const plainText = (text: string) => ({ type: "plain_text", text });

  const content = await contentOf({
    blocks: [
      { type: "header", text: plainText("*Deploy* 5 * 3 * 2 &amp; :tada:") },
      { type: "section", text: plainText("_a_ *b*\n# c"), fields: [plainText("[d](e)")] },
      { type: "context", elements: [plainText("*f*"), { type: "mrkdwn", text: "*g*" }] },
      { type: "actions", elements: [{ type: "button", text: plainText("*h*"), url: "https://example.com/" }] },
    ],
  });

  expect(content).toBe(
    [
      "## &#x2a;Deploy&#x2a; 5 &#x2a; 3 &#x2a; 2 & :tada:",
      "_a_ &#x2a;b&#x2a;\n&#x23; c",
      "&#x5b;d&#x5d;(e)",
      "&#x2a;f&#x2a; **g**",
      "[&#x2a;h&#x2a;](https://example.com/)",
    ].join("\n\n"),
  );
});

test("attachments, after the text", async () => {
  const content = await contentOf({
    text: "Build",
    attachments: [
      {
        fallback: "Not shown",
        color: "#36a64f",
        pretext: "Optional _pretext_",
        author_name: "Bobby *Tables*",
        author_link: "https://example.com/bobby",
        actions: [
          { type: "button", text: "Open", url: "https://example.com/open" },
          { type: "button", text: "Acknowledge", value: "1" },
        ],
        title: "Slack API Documentation",
        title_link: "https://api.slack.com/",
        text: "Optional text",
        fields: [{ title: "Priority", value: "High", short: false }],
        image_url: "https://example.com/path/to/image.jpg",
        footer: "Slack API",
        ts: 123456789,
      },
      { fallback: "Shown alone" },
    ],
  });

  expect(content).toBe(
    [
      ...[
        "Build",
        "Optional *pretext*",
        "**[Bobby &#x2a;Tables&#x2a;](https://example.com/bobby)**",
        "## [Slack API Documentation](https://api.slack.com/)",
      ],
      ...[
        "Optional text",
        "**Priority**: High",
        "[Open](https://example.com/open)",
        "[image](https://example.com/path/to/image.jpg)",
        "Slack API",
      ],
      ...["<time:123456789>", "Shown alone"],
    ].join("\n\n"),
  );
});

test("fields of other types, null and a million characters do no harm", async () => {
  expect(await contentOf({ text: 7, channel: null, blocks: null, attachments: "x" })).toBe("7");
  expect(await contentOf({ text: "a", blocks: [null, 1, { type: "section", text: null, fields: {} }] })).toBe("a");
  expect(await contentOf({ text: "*a_~<".repeat(200_000) })).toMatch(/\[message truncated\]$/);
});
