import { expect, test } from "vitest";
import { open, submit } from "../support/accounts.ts";
import { mailsTo, type ReceivedMail, skipBatchingPeriod } from "../support/mails.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, localTest, type Person } from "../support/world.ts";

/** Each mail has the same content as text and as HTML. */

async function aReader(name: string, settings: Record<string, unknown> = {}): Promise<Person> {
  const person = await aPerson(name);
  await person.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600, ...settings });
  return person;
}

/** The single mail about some messages. */
async function mailAbout(reader: Person, ids: readonly number[]): Promise<ReceivedMail> {
  await skipBatchingPeriod(reader.id, ids);
  return eventually(async () => (await mailsTo(reader.email))[0]);
}

test.concurrent("messages are rendered with absolute links and without remote content", async () => {
  const [sender, reader] = [await aPerson("Prospero"), await aReader("Miranda")];
  const island = await aChannel("island", [sender, reader]);
  const text =
    "Our **revels** now are `ended`: [see](https://example.com/?a=1&b=2), :smile:\n" +
    `* @**Miranda|${reader.id}**\n* #**${island.name}**\n\n` +
    "```spoiler Of us\nsuch stuff as dreams are made on\n```";

  const id = await sendToChannel(sender, island, "The end", text);
  const { html } = await mailAbout(reader, [id]);

  expect(html).toMatch(/^<!DOCTYPE html>\n<html>/);
  expect(html).toContain("<p><strong>Prospero</strong></p>");
  expect(html).toContain("<p>Our <strong>revels</strong> now are <code>ended</code>");
  expect(html).toContain('<a href="https://example.com/?a=1&amp;b=2">see</a>, 😄');
  expect(html).toContain("<li>@Miranda</li>");
  expect(html).toMatch(new RegExp(`<a href="https?://[^/"]+/#narrow/channel/${island.id}-[^"]*">#${island.name}</a>`));
  expect(html).toContain("(…)");
  expect(html).not.toMatch(/such stuff|<img|<script|<style|<link|<iframe| src=| style=| class=/);
  expect(html).toContain("You are receiving this because you were mentioned.");
  expect(html).toMatch(new RegExp(`<a href="[^"]*/topic/The\\.20end/near/${id}">Reply in Globe Theatre</a>`));
  expect(html).toMatch(/<a href="https?:\/\/[^/"]+\/#settings\/notifications">Manage email preferences<\/a>/);
});

test.concurrent("names and topics are escaped", async () => {
  const [sender, reader] = [await aPerson("Trinculo"), await aReader("Ferdinand")];
  const renamed = await sender.call("PATCH", "/settings", { full_name: "T <b &amp; 'x'" });
  expect(renamed.status).toBe(200);
  const island = await aChannel("isle", [sender, reader]);

  const id = await sendToChannel(
    sender,
    island,
    "<img src=x onerror=alert(1)>",
    `@**Ferdinand|${reader.id}** "see" <b>it</b>`,
  );
  const { subject, text, html } = await mailAbout(reader, [id]);

  expect(subject).toBe(`#${island.name} > <img src=x onerror=alert(1)>`);
  expect(html).toContain(`<title>#${island.name} &gt; &lt;img src=x onerror=alert(1)&gt;</title>`);
  expect(html).toContain("&lt;b&gt;it&lt;/b&gt;");
  expect(html).not.toMatch(/<img|<b>/);
  expect(text).toContain('@Ferdinand "see" <b>it</b>');
  expect(html).toContain("<strong>T &lt;b &amp;amp; &#39;x&#39;</strong>");
});

test.concurrent("long content is truncated in both forms, and fits into an SQS message", async () => {
  const [sender, reader] = [await aPerson("Gonzalo"), await aReader("Alonso")];
  const longLine = `> ${"🌊".repeat(1000)} **and** [more](https://example.com/${"x".repeat(1000)})`;
  const ids: number[] = [];
  for (let count = 0; count < 22; count++)
    ids.push(await sendDirect(sender, [reader], `${count} ${longLine}\n${"& ".repeat(3000)}`));

  const { text, html } = await mailAbout(reader, ids);

  const [, omittedCount] = /… and (\d+) more/.exec(text) ?? [];
  expect(Number(omittedCount)).toBeGreaterThanOrEqual(2);
  expect(html).toContain(`<p>… and ${omittedCount} more</p>`);
  expect(text.match(/^Gonzalo:$/gm)).toHaveLength(22 - Number(omittedCount));
  expect(html.match(/<strong>Gonzalo<\/strong>/g)).toHaveLength(22 - Number(omittedCount));
  expect(Buffer.byteLength(JSON.stringify([text, html]))).toBeLessThan(200_000);
  expect(html.match(/<blockquote>/g)?.length).toBe(html.match(/<\/blockquote>/g)?.length);
});

localTest("MiniStack's SES does not keep headers")(
  "a mail has headers for automatic mail, its ID and unsubscribing",
  async () => {
    const [sender, reader] = [await aPerson("Ariel"), await aReader("Caliban")];

    const id = await sendDirect(sender, [reader], "Hast thou, which art but air");
    const { headers } = await mailAbout(reader, [id]);

    expect(headers).toContain("Auto-Submitted: auto-generated");
    expect(headers).toContain(`X-Skein-Mail: missed-${reader.id}-${id}`);
    expect(headers).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    const [, path = ""] =
      /^List-Unsubscribe: <https?:\/\/[^/]+(\/unsubscribe\/u[^>]+)>$/m.exec(headers?.join("\n") ?? "") ?? [];

    // A mail program posts without the cookies and headers of a page, a scanner only looks.
    const form = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
    const shown = await fetch(`${target().url}${path}`);
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining(reader.email)]);
    const isMailed = async () =>
      (await reader.do("POST", "/register", { fetch_event_types: ["user_settings"] })).user_settings
        .enable_offline_email_notifications;
    expect(await isMailed()).toBe(true);
    expect((await fetch(`${target().url}${path}`, { method: "POST", body: form })).status).toBe(200);
    expect(await isMailed()).toBe(false);
    const forged = path.replace(/.$/, "_");
    expect([(await open(forged)).status, (await submit(forged, {})).status]).toEqual([404, 404]);
  },
);
