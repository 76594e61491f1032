import type { Page } from "playwright-core";
import { afterEach, expect } from "vitest";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import { nextFrames } from "../../support/browser/client-pages.ts";
import { leastLongestTask, longestFrameMs, scrollThrough } from "../../support/browser/longest-task.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aHistory } from "../../support/table/seeding.ts";

/**
 * Topics of messages that take long to build: Audrey opens what Touchstone has written. The page gets the HTML of earlier servers,
 * which had no limit of elements: each message has as many as its bytes allowed.
 */

const people = twoPeople({ reader: "Audrey", writer: "Touchstone", channel: "pastoral" });
const { topicUrl, heading } = actsOf(people);
const messageCount = 60;

const emoji = '<span aria-label="goat" class="emoji emoji-1f410" role="img" title="goat">:goat:</span>';
const cells = (tag: string, count: number) => `<${tag}></${tag}>`.repeat(count);
const table = (columns: number, rows: number) =>
  `<table><thead><tr>${cells("th", columns)}</tr></thead><tbody>${`<tr>${cells("td", columns)}</tr>`.repeat(rows)}</tbody></table>`;
const mathml = `<span class="katex"><span class="katex-mathml"><math><mrow>${"<mi>x</mi><mo>+</mo>".repeat(60)}</mrow></math></span><span class="katex-html" aria-hidden="true"><span class="base">${'<span class="mord">x</span><span class="mbin">+</span>'.repeat(60)}</span></span></span>`;
const nested = (open: string, close: string, count: number, inside: string) =>
  open.repeat(count) + inside + close.repeat(count);

const kinds: Record<string, string> = {
  emoji: `<p>${emoji.repeat(10_000)}</p>`,
  tables: table(150, 150),
  lists: `<ul>${"<li>a</li>".repeat(3000)}</ul>`,
  code: `<div class="codehilite"><pre><span></span><code>${'<span class="n">x</span>\n'.repeat(5000)}</code></pre></div>`,
  "plain code": `<div class="codehilite"><pre><span></span><code>${"\n".repeat(9900)}</code></pre></div>`,
  lines: `<p>${"a<br>\n".repeat(4000)}</p>`,
  formulas: `<p>${mathml.repeat(40)}</p>`,
  quotes: nested("<blockquote>\n", "\n</blockquote>", 60, `<p>${"<strong>a</strong><em>b</em>".repeat(3000)}</p>`),
  spoilers:
    '<div class="spoiler-block"><div class="spoiler-header"><p>a</p></div><div class="spoiler-content" aria-hidden="true"><p>b</p></div></div>'.repeat(
      1500,
    ),
  mentions: `<p>${'<span class="user-mention" data-user-id="1">@a</span>'.repeat(3000)}</p>`,
  links: `<p>${'<a href="https://globe.test/">a</a>'.repeat(3000)}</p>`,
  "what just fits": `<p>${"<em>a</em>".repeat(1990)}</p>`,
};

/** Serves messages with this content. */
async function serveContent(page: Page, content: string) {
  await page.route("**/api/v1/messages?*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    // A reply has no more bytes than this.
    const count = Math.ceil(3_000_000 / content.length);
    for (const message of (body.messages ?? []).slice(0, count)) message.content = content;
    await route.fulfill({ response, json: body });
  });
}

afterEach(async () => {
  await people.page?.unrouteAll({ behavior: "ignoreErrors" });
});

for (const [kind, content] of Object.entries(kinds))
  browserTest(
    `a topic of the longest ${kind} opens, scrolls and expands in short frames`,
    async () => {
      const { page, channel, writer } = people;
      await aHistory(messageCount, { channel, senderId: () => writer.id, topic: () => kind });
      await serveContent(page, content);
      const max = await longestFrameMs(page);
      const longest = await leastLongestTask(page, max, async () => {
        await page.goto(topicUrl(kind));
        await heading(kind).waitFor();
        await page.locator(".message .rendered").first().waitFor();
        const more = page.getByRole("button", { name: "Show more" }).first();
        await more.click();
        await nextFrames(page);
        await scrollThrough(page);
      });
      expect(longest).toBeLessThan(max);
      expect(await page.locator("#messages *").count()).toBeLessThan(15_000);
    },
    240_000,
  );

browserTest("a long message is expanded and collapsed by itself, accessibly", async () => {
  const { page, channel, writer } = people;
  await aHistory(2, { channel, senderId: () => writer.id, topic: () => "long" });
  await serveContent(page, `<p>${"<em>a</em> ".repeat(1500)}<strong>the end</strong></p>`);
  await page.goto(topicUrl("long"));
  const buttons = (name: string) => page.getByRole("button", { name });
  await expect.poll(() => buttons("Show more").count()).toBe(2);
  expect(await buttons("Show more").first().getAttribute("aria-expanded")).toBe("false");
  expect(await page.locator(".rendered strong").count()).toBe(0);
  // The browser's own search finds it, though.
  expect(await page.locator('[hidden="until-found"]', { hasText: "the end" }).count()).toBe(2);

  await buttons("Show more").first().click();
  await buttons("Show more").first().click();
  await expect.poll(() => page.locator(".rendered strong").count()).toBe(1);
  expect([await buttons("Show more").count(), await buttons("Show less").count()]).toEqual([1, 1]);
  expect(await buttons("Show less").getAttribute("aria-expanded")).toBe("true");
  expect(await violations(page)).toEqual([]);

  await buttons("Show less").click();
  await expect.poll(() => page.locator(".rendered strong").count()).toBe(0);
});
