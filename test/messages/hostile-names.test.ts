import { expect, test } from "vitest";
import { quoted } from "../../shared/core/markdown/source/fenced.ts";
import { silentMention } from "../../shared/core/markdown/source/references.ts";
import { formatRoute } from "../../web/navigation/address.ts";
import { mailsTo, skipBatchingPeriod } from "../support/mails.ts";
import { sendToChannel } from "../support/messages.ts";
import { token } from "../support/unique.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/**
 * Names that mean something in Markdown, HTML or URLs, in every text that Skein or the page writes about them: what is rendered
 * leads to what is named, and to nothing else.
 */

/** Names of channels, topics and people. A person's name has none of `*`, backtick, `\`, `>`, `"`, `@`, or invisible characters. */
const names: readonly [channel: string, topic: string, person: string][] = [
  ["star*chan", "about **kwargs", "Quince [x](y) $$z$$"],
  ["a>b `c` **d", "Fix `foo` crash", "Ada :tada: ~~w~~ <b"],
  ["[x](https://evil.test/)", "<img src=x onerror=alert(1)> ]( )", "&amp; #1 _x_"],
  ["$$x$$ ~~y~~ :tada:", "```quote", "👩‍💻 www.example.com"],
  ["&amp; &#42; \u2028z", "🎉 \u202Eabc\u2066@7", "🎉 #x ]( )"],
  ["@**all** @*g* #**c**", "topic@7 #**a>b** <time:now>", "|17 [said]:"],
];

interface Place {
  channelId: number;
  topic: string | undefined;
  near: number | undefined;
}

/** Where the links of a text lead, with everything else that a link or a mention could be. */
function leadsTo(html: string): { places: Place[]; users: number[]; others: string[] } {
  const hrefs = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href);
  const narrow = /#narrow\/channel\/(\d+)[^/]*(?:\/topic\/([^/]*))?(?:\/near\/(\d+))?$/;
  const places = hrefs.flatMap((href) => {
    const [, id, topic, near] = narrow.exec(href) ?? [];
    if (id === undefined) return [];
    const decoded = topic === undefined ? undefined : decodeURIComponent(topic.replaceAll(".", "%"));
    return [{ channelId: Number(id), topic: decoded, near: near === undefined ? undefined : Number(near) }];
  });
  const users = [...html.matchAll(/data-user-id="(\d+)"/g)].map(([, id]) => Number(id));
  return { places, users, others: hrefs.filter((href) => !narrow.test(href)) };
}

const words = (text: string) => text.replaceAll(/\s+/g, "");
const shownText = (html: string) =>
  words(
    html
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/&#x([0-9a-f]+);|&#(\d+);/g, (_, hex, decimal) =>
        String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)),
      )
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&"),
  );

const htmlOf = async (reader: Person, id: number): Promise<string> =>
  (await reader.do("GET", `/messages/${id}`, { apply_markdown: true })).message.content;

async function newestIn(reader: Person, narrow: unknown[]): Promise<{ content: string; subject: string }> {
  return eventually(async () => {
    const range = { anchor: "newest", num_before: 1, num_after: 0, narrow, apply_markdown: true };
    return (await reader.do("GET", "/messages", range)).messages[0];
  });
}

test.concurrent.each(names)(
  "the channel %j, the topic %j and the person %j",
  async (channelName, topic, personName) => {
    const [writer, reader] = await Promise.all([aPerson("Peter", { role: "administrator" }), aPerson("Robin")]);
    await writer.do("PATCH", `/users/${writer.id}`, { full_name: personName });
    await reader.do("PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
    const name = `${channelName} ${token()}`;
    const { id: channelId } = await writer.do("POST", "/channels/create", {
      ...{ name, subscribers: [writer.id], announce: true },
    });
    await writer.do("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [reader.id] });
    const channel = { id: channelId, name } as any;
    const inChannel = [{ operator: "channel", operand: channelId }];
    const here = { channelId, topic: undefined, near: undefined };

    // The notice of the creation, and the one of the subscription.
    const created = (await newestIn(reader, inChannel)).content;
    expect(leadsTo(created)).toEqual({ places: [], users: [writer.id], others: [] });
    expect(shownText(created)).toContain(words(`channel created by ${personName}.`));
    const subscribed = (await newestIn(reader, [{ operator: "is", operand: "dm" }])).content;
    expect(leadsTo(subscribed)).toEqual({ places: [here], users: [writer.id], others: [] });
    expect(shownText(subscribed)).toContain(words(`#${name}`));

    // A reminder, which quotes.
    const text = `@**Robin|${reader.id}** \`\`\`\nunclosed\n~~~~ py`;
    const id = await sendToChannel(writer, channel, topic, text);
    const there = { channelId, topic, near: id };
    const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 86_400;
    const note = `${name} ${topic}`;
    await reader.do("POST", "/reminders", { message_id: id, scheduled_delivery_timestamp, note: "" });
    const { reminders } = await reader.do("GET", "/reminders");
    expect(leadsTo(reminders[0].rendered_content)).toEqual({
      places: [there],
      users: [writer.id, reader.id],
      others: [],
    });
    expect(shownText(reminders[0].rendered_content)).toContain(words(`${personName} said:`));
    // What a note says is the reader's own Markdown, and ends within its quotation.
    await reader.do("POST", "/reminders", { message_id: id, scheduled_delivery_timestamp, note });
    const noted = (await reader.do("GET", "/reminders")).reminders.at(-1).rendered_content;
    expect(leadsTo(noted).places[0]).toEqual(there);
    expect(leadsTo(noted).users.slice(-2)).toEqual([writer.id, reader.id]);

    // A quote and a copied link, as the page writes them.
    const fragment = formatRoute(
      { kind: "narrow", narrow: { kind: "topic", channelId, topic }, near: id },
      { channels: new Map([[channelId, channel]]) },
    );
    const quote = `${silentMention({ id: writer.id, fullName: personName })} [said](http://chat.test/${fragment}):\n${quoted(text)}\nafter`;
    const quoting = await htmlOf(reader, await sendToChannel(reader, channel, topic, quote));
    expect(leadsTo(quoting)).toEqual({ places: [there], users: [writer.id, reader.id], others: [] });
    expect(quoting).toMatch(/<\/blockquote>\s*<p>after<\/p>$/);
    const copied = await htmlOf(reader, await sendToChannel(reader, channel, topic, `http://chat.test/${fragment}`));
    expect(leadsTo(copied)).toEqual({ places: [there], users: [], others: [] });

    // The mail about it.
    await skipBatchingPeriod(reader.id, [id]);
    const mail = await eventually(async () =>
      (await mailsTo(reader.email)).find(({ html }) => html.includes(`/near/${id}`)),
    );
    expect(leadsTo(mail.html).places).toContainEqual(there);
    expect(shownText(mail.html)).toContain(words(personName));

    // The notices of resolving and renaming.
    await writer.do("PATCH", `/messages/${id}`, { topic: `✔ ${topic}`, propagate_mode: "change_all" });
    const resolved = (await newestIn(reader, inChannel)).content;
    expect(leadsTo(resolved)).toEqual({ places: [], users: [writer.id], others: [] });
    await writer.do("PATCH", `/streams/${channelId}`, { new_name: `${name}2` });
    const renamed = (await newestIn(reader, inChannel)).content;
    expect(leadsTo(renamed)).toEqual({ places: [], users: [writer.id], others: [] });
    expect(shownText(renamed)).toContain(words(`${name} to ${name}2.`));
  },
);
