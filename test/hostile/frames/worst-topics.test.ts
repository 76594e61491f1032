import { afterEach, expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { nextFrames, urlOf } from "../../support/browser/client-pages.ts";
import { leastLongestTask, longestFrameMs, longestTask, scrollThrough } from "../../support/browser/longest-task.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aHistory } from "../../support/table/seeding.ts";

/**
 * What people can build besides long texts: Audrey opens topics of messages with as many options, votes, reactions, letters with
 * marks and media as the API allows, and views of very many conversations. Ten thousand people with long names are there.
 */

const people = twoPeople({ reader: "Audrey", writer: "Touchstone", channel: "forest" });
const { topicUrl, heading } = actsOf(people);
const messageCount = 40;

const range = <T>(count: number, of: (n: number) => T) => Array.from({ length: count }, (_, n) => of(n));
const crowd = range(10_000, (n) => 1_000_000 + n);
const longName = (n: number, length = 100) => `${n} ${"Jaques de Boys ".repeat(9)}`.slice(0, length);
const some = (n: number) => crowd[n % crowd.length] as number;

let nextId = 1;
const submessage = (sender_id: number, content: unknown) => ({
  ...{ id: nextId++, message_id: 1, sender_id, msg_type: "widget" },
  content: JSON.stringify(content),
});
const poll = (options: number, length: number) =>
  submessage(1, {
    widget_type: "poll",
    extra_data: { question: "a\u0301".repeat(500), options: range(options, (n) => longName(n, length)) },
  });
const votes = (options: number) =>
  range(12_000, (n) => submessage(some(n), { type: "vote", key: `canned,${n % options}`, vote: 1 }));
const reactions = (emoji: number, each: number) =>
  range(emoji * each, (n) => ({
    ...{ emoji_name: `emoji_${n % emoji}`, emoji_code: (0x1f400 + (n % emoji)).toString(16), user: {} },
    ...{ reaction_type: "unicode_emoji", user_id: some(Math.floor(n / emoji)) },
  }));
const formula = (terms: number) =>
  `<span class="katex"><span class="katex-mathml"><math><mrow>${"<mi>x</mi><mo>+</mo>".repeat(terms)}</mrow></math></span><span class="katex-html" aria-hidden="true"><span class="base">${'<span class="mord">x</span><span class="mbin">+</span>'.repeat(terms)}</span></span></span>`;
const media = (html: string) => ({ content: `<p>${html.repeat(24)}</p>` });

const kinds: Record<string, Record<string, unknown>> = {
  "polls with 700 long options": {
    submessages: [
      poll(200, 45),
      ...range(500, (n) => submessage(some(n), { type: "new_option", idx: n, option: "a\u0301".repeat(500) })),
    ],
  },
  "polls with 12,000 votes": { submessages: [poll(2, 20), ...votes(2)] },
  "to-do lists with 700 long tasks": {
    submessages: [
      submessage(1, { widget_type: "todo", extra_data: { task_list_title: "t", tasks: [] } }),
      ...range(700, (n) =>
        submessage(some(n), { type: "new_task", key: n, task: `${n} ${"task ".repeat(190)}`, desc: "b".repeat(1000) }),
      ),
    ],
  },
  "a hundred reactions": { reactions: reactions(100, 1) },
  "ten thousand reactions": { reactions: reactions(100, 100) },
  "letters with thousands of marks": { content: `<p>a${"\u0301".repeat(9990)}</p>` },
  "texts without spaces": { content: `<p>${range(7900, (n) => String.fromCodePoint(0x4e00 + n)).join("")}</p>` },
  "large formulas": { content: `<p>${formula(620)}</p>` },
  "wide tables": { content: `<table><thead><tr>${"<th>a</th>".repeat(1100)}</tr></thead></table>` },
  "audio files": media('<audio controls="controls" preload="metadata" src="/user_uploads/1/a.mp3" title="a"></audio>'),
};

/** What the page gets when it registers, changed. */
async function serve(change: (body: any) => void, fields: Record<string, unknown> = {}) {
  const { page } = people;
  const size = JSON.stringify(fields).length;
  await page.route("**/api/v1/register", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    change(body);
    await route.fulfill({ response, json: body });
  });
  await page.route("**/api/v1/messages?*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    // A reply has no more bytes than this, and a message with more comes alone.
    const count = Math.max(1, Math.floor(3_000_000 / size));
    for (const message of (body.messages ?? []).slice(0, count)) Object.assign(message, fields);
    await route.fulfill({ response, json: body });
  });
}

const addCrowd = (body: any) => {
  const [sample] = body.realm_users;
  body.realm_users.push(...crowd.map((user_id, n) => ({ ...sample, user_id, full_name: longName(n) })));
};

afterEach(async () => {
  await people.page?.unrouteAll({ behavior: "ignoreErrors" });
});

for (const [kind, fields] of Object.entries(kinds))
  browserTest(
    `a topic of ${kind} opens, scrolls and expands in short frames`,
    async () => {
      const { page, channel, writer } = people;
      await aHistory(messageCount, { channel, senderId: () => writer.id, topic: () => kind });
      await serve(addCrowd, fields);
      const max = await longestFrameMs(page);
      const longest = await leastLongestTask(page, max, async () => {
        await page.goto(topicUrl(kind));
        await heading(kind).waitFor();
        await page.locator(".message").first().waitFor();
        await nextFrames(page);
        const more = page.getByRole("button", { name: /^(?:Show more|[\d,]+ more)$/ }).first();
        if ((await more.count()) > 0) await more.click();
        await scrollThrough(page);
      });
      expect(longest).toBeLessThan(max);
      expect(await page.locator("#messages *").count()).toBeLessThan(15_000);
    },
    240_000,
  );

browserTest(
  "unread messages in thousands of channels are listed in short frames",
  async () => {
    const { page } = people;
    await serve((body) => {
      addCrowd(body);
      const [sample] = body.subscriptions;
      const ids = range(3000, (n) => 2_000_000 + n);
      body.subscriptions.push(...ids.map((stream_id) => ({ ...sample, stream_id, name: longName(stream_id, 60) })));
      body.unread_msgs.streams = ids.map((stream_id, n) => ({
        ...{ stream_id, topic: longName(n, 60), unread_message_ids: [100_000_000 + n] },
      }));
    });
    const max = await longestFrameMs(page);

    const longest = await leastLongestTask(page, max, async () => {
      await page.goto(urlOf("/"));
      await page.getByRole("heading", { name: "Inbox" }).waitFor();
      await page
        .getByRole("button", { name: /^[\d,]+ more$/ })
        .first()
        .click();
      await nextFrames(page);
    });

    expect(longest).toBeLessThan(max);
    expect(await page.locator("#messages *").count()).toBeLessThan(15_000);
  },
  240_000,
);

browserTest(
  "unread messages of thousands of groups of people are listed in short frames",
  async () => {
    const { page, reader } = people;
    await serve((body) => {
      addCrowd(body);
      body.unread_msgs.huddles = range(3000, (n) => ({
        user_ids_string: [reader.id, some(n), some(n + 1), some(n + 2)].join(","),
        unread_message_ids: [100_000_000 + n],
      }));
    });
    const max = await longestFrameMs(page);

    const longest = await leastLongestTask(page, max, async () => {
      await page.goto(urlOf("/"));
      await page.getByRole("heading", { name: "Inbox" }).waitFor();
      await expect.poll(() => page.locator(".sidebar li").count()).toBeGreaterThan(500);
      await nextFrames(page);
    });

    expect(longest).toBeLessThan(max);
  },
  240_000,
);

browserTest(
  "a thousand emoji of the organization are offered and searched in short frames",
  async () => {
    const { page, channel, writer } = people;
    await aHistory(1, { channel, senderId: () => writer.id, topic: () => "emoji" });
    await serve((body) => {
      const emoji = (n: number) => ({ id: `${n}`, name: `tempest_${n}`, source_url: `/static/images/${n}.png` });
      const fields = { deactivated: false, author_id: null, still_url: null };
      body.realm_emoji = Object.fromEntries(range(1000, (n) => [`${n}`, { ...emoji(n), ...fields }]));
    });
    const max = await longestFrameMs(page);

    const longest = await leastLongestTask(page, max, async () => {
      await page.goto(topicUrl("emoji"));
      await page.locator(".message").hover();
      await page.locator(".message").getByRole("button", { name: "React", exact: true }).click();
      const picker = page.getByRole("dialog", { name: "Emoji", exact: true });
      await expect.poll(() => picker.locator("[data-code]").count()).toBeGreaterThan(2000);
      await picker.getByRole("searchbox").fill("tempest");
      await expect.poll(() => picker.locator("[data-code]").count()).toBeLessThan(200);
      await nextFrames(page);
    });

    expect(longest).toBeLessThan(max);
  },
  240_000,
);

browserTest(
  "the history of a message and the list of its readers grow on request",
  async () => {
    const { page, channel, writer } = people;
    await aHistory(1, { channel, senderId: () => writer.id, topic: () => "edited" });
    await serve(addCrowd, { last_edit_timestamp: 1_700_000_000 });
    const version = { topic: "edited", content: "a", rendered_content: "a", user_id: writer.id };
    const message_history = range(500, (n) => ({
      ...{ ...version, timestamp: 1_700_000_000 + n, content_html_diff: `<p>${"<em>a</em>".repeat(600)}</p>` },
    }));
    const success = { result: "success", msg: "" };
    await page.route("**/history?*", (route) => route.fulfill({ json: { ...success, message_history } }));
    await page.route("**/read_receipts*", (route) => route.fulfill({ json: { ...success, user_ids: crowd } }));
    await page.goto("about:blank");
    await page.goto(topicUrl("edited"));
    const max = await longestFrameMs(page);

    const longest = await longestTask(page, async () => {
      await page.locator(".edited").click();
      await page.locator(".history li").first().waitFor();
      await page
        .locator(".history")
        .getByRole("button", { name: /^[\d,]+ more$/ })
        .click();
      await nextFrames(page);
      await page.keyboard.press("Escape");
      await page.locator(".message").hover();
      await page.locator(".message").getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Who has read this" }).click();
      await page.getByRole("button", { name: "9,960 more" }).click();
      await nextFrames(page);
    });

    expect(longest).toBeLessThan(max);
    expect(await page.locator(".people-list li").count()).toBe(201);
  },
  240_000,
);
