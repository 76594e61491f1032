import type { RenderContext } from "../../shared/markdown/render.ts";

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

/** An organization with a few of everything; records what was asked of it. */
export function testContext(overrides: Partial<RenderContext> = {}): RenderContext & { asked: string[] } {
  const asked: string[] = [];
  const isOneOf = (names: string[]) => (each: { name?: string; fullName?: string }) =>
    names.some((name) => name.toLowerCase() === (each.name ?? each.fullName)?.toLowerCase());
  return {
    asked,
    realmId: 1,
    findUsers: async (names) => (asked.push(`users ${names}`), users.filter(isOneOf(names))),
    findUsersById: async (ids) => (asked.push(`users ${ids}`), users.filter((user) => ids.includes(user.id))),
    findGroups: async (names) => (asked.push(`groups ${names}`), groups.filter(isOneOf(names))),
    findChannels: async (names) => (asked.push(`channels ${names}`), channels.filter(isOneOf(names))),
    latestInTopic: async (topics) => (
      asked.push(`topics ${topics.map(({ topic }) => topic)}`),
      topics.map(({ topic }) => (topic === "new" ? undefined : 214))
    ),
    realmEmoji: async () => [
      { id: "5", name: "green_tick", sourceUrl: "/user_avatars/1/emoji/images/5.png", stillUrl: null },
    ],
    linkifiers: async () => [],
    realmUrl: "http://zulip.testserver",
    emptyTopicDisplayName: "general chat",
    ...overrides,
  };
}
