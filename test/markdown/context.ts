import { expect, test } from "vitest";
import { type RenderContext, renderMarkdown } from "../../shared/core/markdown/render.ts";

const users = [
  { id: 7, fullName: "Zoe" },
  { id: 8, fullName: "King Hamlet" },
  { id: 9, fullName: "Ann O'Brien" },
  { id: 10, fullName: "Mark Twin" },
  { id: 11, fullName: "Mark Twin" },
];
const groups = [
  { id: 17, name: "support", isSystem: false, displayName: "support" },
  { id: 3, name: "role:administrators", isSystem: true, displayName: "Administrators" },
];
const channels = [
  { id: 9, name: "Denmark" },
  { id: 13, name: "social (new)" },
  { id: 14, name: "v1.5" },
];
const realmEmoji = [{ id: "5", name: "green_tick", sourceUrl: "/user_avatars/1/emoji/images/5.png", stillUrl: null }];

/** A small test organization; `lookups` records what rendering looked up. */
export function testContext(overrides: Partial<RenderContext> = {}): RenderContext & { lookups: string[] } {
  const lookups: string[] = [];
  const recordLookups =
    <Q, A>(kind: string, answer: (query: Q[]) => A) =>
    async (query: Q[]): Promise<A> => {
      const terms = query.map((each) => (typeof each === "object" ? JSON.stringify(each) : each));
      lookups.push(`${kind} ${terms.join(", ")}`);
      return answer(query);
    };
  const includesName = (names: string[], name: string) =>
    names.some((each) => each.toLowerCase() === name.toLowerCase());
  return {
    lookups,
    findUsers: recordLookups("users", (names: string[]) => users.filter((user) => includesName(names, user.fullName))),
    findUsersById: recordLookups("user IDs", (ids: number[]) => users.filter((user) => ids.includes(user.id))),
    findGroups: recordLookups("groups", (names: string[]) => groups.filter((group) => includesName(names, group.name))),
    findGroupsById: recordLookups("group IDs", (ids: number[]) => groups.filter((group) => ids.includes(group.id))),
    findChannels: recordLookups("channels", (names: string[]) =>
      channels.filter((channel) => includesName(names, channel.name)),
    ),
    latestMessageIdInTopic: recordLookups("topics", (topics: { channelId: number; topic: string }[]) =>
      topics.map(({ topic }) => (topic === "new" ? undefined : 214)),
    ),
    realmEmoji: async () => {
      lookups.push("emoji");
      return realmEmoji;
    },
    linkifiers: async () => [],
    realmUrl: "http://chat.test",
    emptyTopicDisplayName: "general chat",
    ...overrides,
  };
}

/** Defines a test for each case: its name, Markdown, and the expected HTML. */
export function rendersTo(
  cases: [name: string, markdown: string, html: string][],
  overrides?: Partial<RenderContext>,
): void {
  test.each(cases)("%s", async (_, markdown, html) => {
    const rendered = await renderMarkdown(markdown, testContext(overrides));

    expect(rendered.html).toBe(html);
  });
}
