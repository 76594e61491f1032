import { describe, expect, test } from "vitest";
import type { RenderContext } from "../../shared/core/markdown/context.ts";
import { encodeOperand } from "../../shared/core/markdown/narrow-urls.ts";
import { renderMarkdown } from "../../shared/core/markdown/render.ts";
import { quoted } from "../../shared/core/markdown/source/fenced.ts";
import { plainName } from "../../shared/core/markdown/source/plain.ts";
import {
  channelReference,
  groupMention,
  mention,
  mentionByName,
  silentMention,
  topicReference,
} from "../../shared/core/markdown/source/references.ts";
import { mailHtml } from "../../shared/messaging/missed-mail/html.ts";
import { notificationText } from "../../shared/messaging/notifications/text.ts";
import { fc } from "../support/random.ts";
import { testContext } from "./context.ts";

/** Pieces of names, most of which mean something in Markdown. */
const pieces = [
  ..."*`>|@#:~$&<[]()\\_!'\"-.,/+?{}=^% ",
  ...["**", "***", "``", "$$", "~~", "](", "://", "@**", "@_**", "#**", "&amp;", "&#42;", "<time:", "<b>", "1) ", "- "],
  ...["about", "kwargs", "a", "Z", "1", "42", "é", "ß", "雪", "👩‍💻", "🎉", ":tada:", "@7", "|12", "www.example.com"],
  ...["\u200B", "\u202E", "\u2066", "\u00A0", "\u2028", "e\u0301", "TODO-7"],
];
const name = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join("").trim())
  .filter((text) => text !== "");
/** Names that were stored before today's rules. */
const oldName = fc
  .tuple(fc.constantFrom("", " ", "\n", "\u0002"), name, fc.constantFrom("", " ", "\t"))
  .map((parts) => parts.join(""));
const samples = [
  "about **kwargs",
  "Fix `foo` crash",
  "star*chan",
  "a>b",
  "x@7",
  "R&amp;D",
  "[x](y)",
  "$$x$$",
  "|17",
  "all",
  "topic",
];

const channelId = 4021;
const userId = 12;
const groupId = 17;

const contextWith = (names: { channel?: string; user?: string; group?: string }): RenderContext => ({
  ...testContext(),
  findChannels: async (wanted) =>
    wanted.some((each) => each.toLowerCase() === names.channel?.toLowerCase())
      ? [{ id: channelId, name: names.channel ?? "" }]
      : [],
  latestMessageIdInTopic: async (topics) => topics.map(() => undefined),
  findUsers: async (wanted) =>
    wanted.some((each) => each.toLowerCase() === names.user?.toLowerCase())
      ? [{ id: userId, fullName: names.user ?? "" }]
      : [],
  findUsersById: async (ids) => (ids.includes(userId) ? [{ id: userId, fullName: names.user ?? "" }] : []),
  findGroups: async (wanted) =>
    wanted.some((each) => each.toLowerCase() === names.group?.toLowerCase())
      ? [{ id: groupId, name: names.group ?? "", isSystem: false, displayName: names.group ?? "" }]
      : [],
  findGroupsById: async (ids) =>
    ids.includes(groupId) ? [{ id: groupId, name: names.group ?? "", isSystem: false, displayName: "" }] : [],
  linkifiers: async () => [
    { pattern: "#(?P<id>[0-9]+)", urlTemplate: "https://issues.test/{id}" },
    { pattern: "(?P<id>TODO-[0-9]+)", urlTemplate: "https://todo.test/{id}" },
  ],
});

/** What text surrounds a reference: as in notices, messages, lists and quotes. */
const surroundings: readonly (readonly [string, (reference: string) => string])[] = [
  ["a sentence", (reference) => `It moved to ${reference} by *me*, \`x\`.`],
  ["a message that is nothing else", (reference) => reference],
  ["a list", (reference) => `Two:\n\n* ${reference}\n* ${reference}`],
  ["a quote", (reference) => `Ada said:\n${quoted(reference)}`],
  ["a quoted line", (reference) => `> see ${reference}`],
];

const hrefs = (html: string): string[] => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href);

/** The IDs and names to which the links of a text lead, and nothing else that is rendered. */
async function linked(markdown: string, context: RenderContext): Promise<string[]> {
  const { html } = await renderMarkdown(markdown, context);
  expect(html).not.toMatch(/<time|katex/);
  const targets = hrefs(html);
  // The mail leads to the same places.
  expect(hrefs(mailHtml(html, "http://chat.test", 5000))).toEqual(
    targets.map((href) => `http://chat.test/${href.replace(/^\//, "")}`),
  );
  return targets;
}

/** Whitespace is shown differently at the ends of names. */
const words = (text: string) => text.replace(/\s+/g, "");

async function leadsTo(reference: string, context: RenderContext, path: RegExp, label: string): Promise<void> {
  for (const [place, write] of surroundings) {
    const markdown = write(reference);
    const targets = await linked(markdown, context);
    expect(targets, `${place}: ${markdown}`).toHaveLength(place === "a list" ? 2 : 1);
    for (const target of targets) expect(target, place).toMatch(path);
  }
  const { html } = await renderMarkdown(reference, context);
  expect(words(notificationText(html, 1000))).toBe(words(label));
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const channelUrl = `^/?#narrow/channel/${channelId}-[^/]*`;
const shown = (text: string) => text.replaceAll("\u0002", "");

const everyName = (check: (name: string) => Promise<void>) => async () => {
  for (const sample of samples) await check(sample);
  await fc.assert(fc.asyncProperty(fc.oneof(name, oldName), check), { numRuns: 150 });
};

describe("a reference leads to what it names, whatever its name", () => {
  test(
    "a channel",
    everyName(async (channel) => {
      await leadsTo(
        channelReference({ id: channelId, name: channel }),
        contextWith({ channel }),
        new RegExp(`${channelUrl}$`),
        `#${shown(channel)}`,
      );
    }),
  );

  test("a topic of a channel with such a name", async () => {
    for (const topic of samples) await checkTopic("star*chan", topic);
    await fc.assert(fc.asyncProperty(fc.oneof(name, oldName), fc.oneof(name, oldName), checkTopic), { numRuns: 200 });
  });

  test("a message", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(name, fc.constant("general")), fc.oneof(name, oldName), async (channel, topic) => {
        await leadsTo(
          topicReference({ id: channelId, name: channel }, topic, { messageId: 77 }),
          contextWith({ channel }),
          new RegExp(`${channelUrl}/topic/${escaped(encodeOperand(topic))}/near/77$`),
          `#${shown(channel)} > ${shown(topic)} @ 💬`,
        );
      }),
      { numRuns: 150 },
    );
  });

  test("the empty topic", async () => {
    for (const channel of ["general", "star*chan"])
      await leadsTo(
        topicReference({ id: channelId, name: channel }, ""),
        contextWith({ channel }),
        new RegExp(`${channelUrl}/topic/$`),
        `#${channel} > general chat`,
      );
  });

  test(
    "a user",
    everyName(async (user) => {
      const named = { id: userId, fullName: user };
      const context = contextWith({ user });
      for (const [, write] of surroundings) {
        const silent = await renderMarkdown(write(silentMention(named)), context);
        expect(silent.html).toContain(`data-user-id="${userId}"`);
        expect(words(notificationText(silent.html, 1000))).toContain(words(shown(user)));
        expect(silent).toMatchObject({ mentionedUserIds: [], channelWildcard: false, topicWildcard: false });
      }
      for (const reference of [mention(named), mentionByName(user, "@")]) {
        if (reference === undefined) continue;
        expect(await renderMarkdown(`${reference} `, context), reference).toMatchObject({
          ...{ mentionedUserIds: [userId], mentionedGroupIds: [], channelWildcard: false, topicWildcard: false },
        });
      }
    }),
  );

  test(
    "a group",
    everyName(async (group) => {
      const named = { id: groupId, name: group };
      const context = contextWith({ group });
      expect(await renderMarkdown(groupMention(named), context)).toMatchObject({
        ...{ mentionedUserIds: [], mentionedGroupIds: [groupId], channelWildcard: false },
      });
      const silent = await renderMarkdown(`see ${groupMention(named, "@_")}.`, context);
      expect(silent.mentionedGroupIds).toEqual([]);
      expect(silent.html).toContain(`data-user-group-id="${groupId}"`);
    }),
  );
});

async function checkTopic(channel: string, topic: string): Promise<void> {
  await leadsTo(
    topicReference({ id: channelId, name: channel }, topic),
    contextWith({ channel }),
    new RegExp(`${channelUrl}/topic/${escaped(encodeOperand(topic))}$`),
    `#${shown(channel)} > ${shown(topic)}`,
  );
}

test("ordinary names keep the short forms", () => {
  expect(channelReference({ id: 9, name: "R&D (new) – v1.5" })).toBe("#**R&D (new) – v1.5**");
  expect(topicReference({ id: 9, name: "design" }, "a > b | c [x]")).toBe("#**design>a > b | c [x]**");
  expect(topicReference({ id: 9, name: "design" }, "x", { messageId: 5 })).toBe("#**design>x@5**");
  expect(mention({ id: 12, fullName: "Ann O'Brien" })).toBe("@**Ann O'Brien|12**");
  expect(mentionByName("Ann O'Brien", "@_")).toBe("@_**Ann O'Brien**");
  expect(groupMention({ id: 17, name: "front-end" })).toBe("@*front-end*");
});

test("others are referred to by ID", () => {
  expect(channelReference({ id: 9, name: "star*chan" })).toBe("[#star&#x2a;chan](#narrow/channel/9-star.2Achan)");
  expect(topicReference({ id: 9, name: "design" }, "Fix `foo` crash")).toBe(
    "[#design > Fix &#x60;foo&#x60; crash](#narrow/channel/9-design/topic/Fix.20.60foo.60.20crash)",
  );
  expect(mention({ id: 12, fullName: "a*b" })).toBe("@**|12**");
  expect(mentionByName("all", "@")).toBeUndefined();
  expect(groupMention({ id: 17, name: "a*b" })).toBe("@*|17*");
});

test(
  "a name in bold text is shown as it is",
  everyName(async (text) => {
    const { html, ...mentions } = await renderMarkdown(`Renamed to **${plainName(text)}**.`, contextWith({}));
    expect(hrefs(html).filter((href) => !href.startsWith("https://todo.test"))).toEqual([]);
    expect(words(notificationText(html, 1000))).toBe(words(`Renamed to ${shown(text)}.`));
    expect(html).toContain("<strong>");
    expect(mentions).toMatchObject({ mentionedUserIds: [], mentionedGroupIds: [], channelWildcard: false });
  }),
);
