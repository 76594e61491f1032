import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { limits, maxAddressLength } from "../../shared/base/limits.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { everyone } from "../../shared/base/schema/system-groups.ts";
import { defaultPermissions } from "../../shared/core/channels/defaults.ts";
import { createChannel } from "../../shared/store/channels/channels.ts";
import { createSubscription } from "../../shared/store/channels/subscriptions.ts";
import { ReadMarks } from "../../shared/store/messages/read-state.ts";
import { createEmoji } from "../../shared/store/organization/emoji.ts";
import { createGroup } from "../../shared/store/organization/groups.ts";
import { padded } from "../../shared/store/table/keys.ts";
import type { Item } from "../../shared/store/table/writes.ts";
import { createUser } from "../../shared/store/users/users.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { seedTable } from "../support/table/seed-table.ts";
import { itemsOf } from "../support/table/seeding.ts";
import { endpoints, nameOf } from "./acts.ts";
import { fetchByLink } from "./whole-reply.ts";

/**
 * Lists that clients need completely and that grow with the organization are sent by a link when they are too long for a reply.
 * They are built in the table, item by item as the API would write them, because thousands of requests would take too long.
 */

const [owner, viola] = ["owner@globe.test", "viola@globe.test"];
const control = "\u0001";
/** Outside the Basic Multilingual Plane, so that each takes four bytes, and allowed in names. */
const astral = "𠀀";
const numbers = (count: number) => Array.from({ length: count }, (_, n) => 100_000 + n);
const joinedAt = 1_700_000_000;

const addressOf = (n: number) => `${n}${"b".repeat(maxAddressLength - 17)}@globe.test`;
const peopleItems = (count: number): Item[] =>
  itemsOf(
    numbers(count).map((id) =>
      createUser({
        ...{ id, email: addressOf(id), fullName: `Spear carrier ${id}`, role: roles.member, active: true, joinedAt },
        ...{ timezone: "", avatarSource: "G", avatarVersion: 1 },
      }),
    ),
  );

const groupItems = (count: number, memberIds: readonly number[] = []): Item[] =>
  numbers(count).flatMap((id) =>
    itemsOf(
      createGroup({
        ...{ id, name: `Carriers ${id}`, description: control.repeat(limits.groupDescriptionLength), createdAt: 1 },
        ...{ creatorId: null, subgroupIds: [], isSystem: false, deactivated: false },
        ...(memberIds.length > 0 && { members: new Set(memberIds) }),
        settings: {
          ...{ canAddMembersGroup: everyone, canJoinGroup: everyone, canLeaveGroup: everyone },
          ...{ canManageGroup: everyone, canMentionGroup: everyone, canRemoveMembersGroup: everyone },
        },
      }),
    ),
  );

const subscriptionItems = (userIds: readonly number[], channelIds: readonly number[]): Item[] =>
  userIds.flatMap((userId) =>
    channelIds.flatMap((channelId) =>
      itemsOf([
        createSubscription({
          ...{ userId, channelId, active: true, periods: [[0]], color: "#c2c2c2", isMuted: false, pinToTop: false },
          ...{ desktopNotifications: null, audibleNotifications: null, pushNotifications: null },
          ...{ emailNotifications: null, wildcardMentionsNotify: null },
        }),
      ]),
    ),
  );

function channelItems(count: number): Item[] {
  const description = control.repeat(limits.channelDescriptionLength);
  return numbers(count).flatMap((id) => {
    const channel = {
      ...{ id, version: 1, recipientId: id, name: `${id}${astral.repeat(limits.channelNameLength - 6)}`, description },
      ...{ renderedDescription: `<p>${description}</p>`, createdAt: 1, creatorId: null, inviteOnly: false },
      ...{ isWebPublic: false, historyPublicToSubscribers: true, messageRetentionDays: null, isDefault: false },
      ...{ isArchived: false, folderId: null, permissions: defaultPermissions(null) },
    };
    return itemsOf(createChannel({ ...channel, topicsPolicy: "inherit" }, { subscriberCount: 1 }));
  });
}

const emojiItems = (count: number): Item[] =>
  numbers(count).flatMap((id) => {
    const [path, stillPath] = [`${id}${"f".repeat(30)}.gif`, `still/${id}${"f".repeat(30)}.png`];
    const name = `${id}${"_".repeat(94)}`;
    return itemsOf(createEmoji({ id, name, path, stillPath, authorId: null, deactivated: true }));
  });

/** With these counts, each of the lists has more than 6 MB. */
const counts = { people: 14_000, groups: 900, channels: 3300, emoji: 19_000 };
const largeLists = [
  ["GET", "/users", "members", "people"],
  ["GET", "/realm/presence", "presences", "people"],
  ["GET", "/streams", "streams", "channels"],
  ["GET", "/users/me/subscriptions", "subscriptions", "channels"],
  ["GET", "/user_groups", "user_groups", "groups"],
  ["GET", "/realm/emoji", "emoji", "emoji"],
  ["POST", "/register", "realm_users", "people"],
] as const;

/** Lists of little more than IDs: 6 MB are hundreds of thousands of accounts. */
const idLists = [
  ["/streams/{stream_id}/members", "subscribers"],
  ["/user_groups/{user_group_id}/members", "members"],
  ["/messages/{message_id}/read_receipts", "user_ids"],
  ["/export/realm/consents", "export_consents"],
] as const;

test("every endpoint that declares a link is tested", () => {
  const large = [...largeLists.map(([method, path]) => `${method} ${path}`), "GET /bot_storage"];
  const tested = [...large, ...idLists.map(([path]) => `GET ${path}`)];
  const declared = endpoints.filter(({ spec }) => spec.storeLongReply).map(nameOf);
  expect(declared.toSorted()).toEqual(tested.toSorted());
});

describe("too long for a function's response", () => {
  let host: PrivateHost;

  beforeAll(async () => {
    host = await aPrivateHost();
    const { user_id: violaId } = await host.do(viola, "GET", "/users/me");
    const now = Math.floor(Date.now() / 1000);
    const presences = numbers(counts.people).map((userId) => ({
      ...{ pk: "PRESENCE", sk: padded(userId) },
      ...{ userId, lastActive: now, lastConnected: now, updateId: userId },
    }));
    await seedTable(host, [
      ...[...peopleItems(counts.people), ...presences, ...groupItems(counts.groups), ...channelItems(counts.channels)],
      ...[...subscriptionItems([violaId], numbers(counts.channels)), ...emojiItems(counts.emoji)],
    ]);
  }, 280_000);
  afterAll(async () => host?.stop());

  test.each(largeLists)("%s %s", async (method, path, field, kind) => {
    // All parts of a registration together would take a busy machine too long.
    const query = path === "/register" ? `?fetch_event_types=${encodeURIComponent('["realm_user"]')}` : "";
    const reply = await fetchByLink(host, viola, path + query, method);

    const count = counts[kind];
    expect(Object.keys(reply[field]).length).toBeGreaterThanOrEqual(count);
    expect(JSON.stringify(reply[field])).toContain(String(numbers(count).at(-1)));
  });

  test("GET /bot_storage", async () => {
    const { api_key } = await host.do(viola, "POST", "/bots", { full_name: "Hoarder", short_name: "hoarder" });
    const bot = "hoarder-bot@skein.invalid";
    const headers = { authorization: `Basic ${Buffer.from(`${bot}:${api_key}`).toString("base64")}` };
    const value = control.repeat(limits.botStorageValueBytes - 10);
    for (let n = 0; n < 5; n++) {
      const body = new URLSearchParams({ storage: JSON.stringify({ [n]: value }) });
      expect((await fetch(`${host.url}/api/v1/bot_storage`, { method: "PUT", headers, body })).status).toBe(200);
    }

    const { storage } = await fetchByLink(host, bot, "/bot_storage");

    expect(Object.keys(storage)).toHaveLength(5);
    expect(storage[4]).toBe(value);
  });
});

describe("too long for a response of 12 KB, on a host with this limit", () => {
  const count = 2000;
  let host: PrivateHost;
  let ids: { stream_id: number; user_group_id: number; message_id: number };

  beforeAll(async () => {
    host = await aPrivateHost({ SKEIN_TEST_BODY_BYTES: "12000" });
    await host.do(viola, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "crowd" }] });
    const channel = (await host.do(viola, "GET", "/get_stream_id", { stream: "crowd" })).stream_id;
    const text = { type: "channel", to: channel, topic: "all", content: "Who is there?" };
    const message = (await host.do(viola, "POST", "/messages", text)).id;
    const people = numbers(count);
    const marks = new ReadMarks();
    marks.mark(message, true);
    await seedTable(host, [
      ...[...peopleItems(count), ...subscriptionItems(people, [channel]), ...groupItems(1, people)],
      ...people.flatMap((userId) => itemsOf(marks.writes(userId))),
    ]);
    ids = { stream_id: channel, message_id: message, user_group_id: people[0] as number };
  }, 280_000);
  afterAll(async () => host?.stop());

  test.each(idLists)("GET %s", async (path, field) => {
    const named = path.replace(/\{(\w+)\}/, (_, name) => String(ids[name as keyof typeof ids]));
    const reply = await fetchByLink(host, owner, named);

    const found: number[] = reply[field].map((entry: any) => entry.user_id ?? entry);
    expect(found.filter((id) => id >= 100_000)).toEqual(numbers(count));
  });
});
