import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registrationUnitsAtLimits } from "../../infra/reference/creation-limits.ts";
import { creationLimits } from "../../shared/base/creation-limits.ts";
import { limits, maxAddressLength } from "../../shared/base/limits.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { maxListBytes } from "../../shared/core/channels/descriptions.ts";
import { defaultGroupSettings } from "../../shared/core/user-groups/defaults.ts";
import { groupBytes } from "../../shared/core/user-groups/totals.ts";
import { newBot } from "../../shared/features/bots/defaults.ts";
import { maxFolders } from "../../shared/features/channel-folders/channel-folders.ts";
import { jsonBytes, maxReplyBytes } from "../../shared/services/http/reply-size.ts";
import { replaceTopic } from "../../shared/store/channels/topics.ts";
import { createGroup, type Group, setSubgroups } from "../../shared/store/organization/groups.ts";
import { createUpload } from "../../shared/store/organization/uploads.ts";
import { createAccount } from "../../shared/store/users/accounts.ts";
import { createBot } from "../../shared/store/users/bots.ts";
import { createInvitation } from "../../shared/store/users/invitations.ts";
import { createUser } from "../../shared/store/users/users.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { burstFromChild } from "../support/outside/bursts.ts";
import { seedTable } from "../support/table/seed-table.ts";
import { itemsOf } from "../support/table/seeding.ts";
import { endpoints, nameOf } from "./acts.ts";
import { fetchWhole } from "./whole-reply.ts";

/**
 * Every list that a request returns stays within Lambda's limit, however much a person adds to it. Either the reply is cut,
 * which is tested here and in `largest-states.test.ts` with lists that are too long; or the declared limits keep the list small,
 * which is computed; or too long a list is sent by a link, which `complete-lists.test.ts` tests.
 */

const [owner, viola] = ["owner@globe.test", "viola@globe.test"];
const control = "\u0001";
/** Outside the Basic Multilingual Plane, so that each takes four bytes, and allowed in names. */
const astral = "𠀀";

let host: PrivateHost;
let channelId: number;
let foldersRefused: number;

/** The number of entries of each list, whose entries together take more than a reply holds. */
const counts = { topics: 13_000, uploads: 5000, invitations: 16_000, bots: 3000 };
const numbers = (count: number) => Array.from({ length: count }, (_, n) => 100_000 + n);

async function seedLists(violaId: number): Promise<void> {
  const name = (n: number, length: number) => `${n}${astral.repeat(length - 6)}`;
  await seedTable(
    host,
    itemsOf([
      ...numbers(counts.topics).map((n) =>
        replaceTopic(undefined, { channelId, name: name(n, limits.topicLength), maxId: n }),
      ),
      ...numbers(counts.uploads).map((n) => {
        const upload = {
          id: n,
          ownerId: violaId,
          pathId: `1/aa/${"a".repeat(24)}/${name(n, 150)}`,
          name: name(n, 150),
        };
        return createUpload({ ...upload, size: 1, contentType: "text/plain", createdAt: Date.now(), claims: 0 });
      }),
      ...numbers(counts.invitations).map((n) => {
        const terms = { role: roles.member, channelIds: [], groupIds: [], withDefaults: true, notifies: true };
        const link = { tokenSalt: `${n}${"s".repeat(30)}`, tokenHash: `${n}${"h".repeat(40)}` };
        return createInvitation({ id: n, invitedBy: violaId, invitedAt: 1, ...terms, ...link });
      }),
      ...numbers(counts.bots).flatMap((n) => {
        const email = `${n}${"b".repeat(54)}-bot@skein.invalid`;
        const person = { email, role: roles.member, active: true, joinedAt: 1, botType: 1 as const, ownerId: violaId };
        const picture = { timezone: "", avatarSource: "G" as const, avatarVersion: 1 };
        const bot = newBot(n, violaId, "", {} as Parameters<typeof newBot>[3]);
        const channels = { defaultSendingChannel: channelId, defaultEventsRegisterChannel: channelId };
        return [
          createAccount({ ...person, userId: n, keyHash: "", keySalt: "" }),
          createUser({ ...person, ...picture, id: n, fullName: name(n, limits.fullNameLength) }),
          createBot({ ...bot, ...channels }),
        ];
      }),
    ]),
  );
}

beforeAll(async () => {
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "off" });
  const name = astral.repeat(limits.channelNameLength);
  await host.do(viola, "POST", "/users/me/subscriptions", { subscriptions: [{ name }] });
  channelId = (await host.do(viola, "GET", "/get_stream_id", { stream: name })).stream_id;
  await seedLists((await host.do(viola, "GET", "/users/me")).user_id);
  for (foldersRefused = 0; foldersRefused < maxFolders; foldersRefused++) {
    const description = `x${control.repeat(limits.channelFolderDescriptionLength - 2)}x`;
    const folder = { name: `${foldersRefused}${astral.repeat(50)}`, description };
    if ((await host.as(owner, "POST", "/channel_folders/create", folder)).status !== 200) break;
  }
}, 280_000);
afterAll(async () => host?.stop());

describe("of a list that is too long, the newest entries", () => {
  test.each([
    ["topics", (): string => `/users/me/${channelId}/topics`, "max_id"],
    ["uploads", (): string => "/attachments", "id"],
    ["invitations", (): string => "/invites", "id"],
    ["bots", (): string => "/bots", "username"],
  ] as const)("%s", async (list, path, id) => {
    const reply = await fetchWhole(host, viola, path());

    const entries: any[] = reply.topics ?? reply.attachments ?? reply.invites ?? reply.bots;
    const found = entries.map((entry) => Number.parseInt(entry[id], 10)).sort((a, b) => b - a);
    expect(jsonBytes(entries)).toBeGreaterThan(maxReplyBytes * 0.9);
    expect(found).toEqual(numbers(counts[list]).toReversed().slice(0, found.length));
    expect(found.length).toBeLessThan(counts[list]);
  });
});

test("channel folders with the longest descriptions", async () => {
  expect(foldersRefused).toBe(maxFolders);
  const { channel_folders } = await fetchWhole(host, owner, "/channel_folders");
  expect(channel_folders).toHaveLength(maxFolders);
});

test("a list in one item is refused before it is too long: profile fields with the longest choices", async () => {
  const choices = Array.from({ length: 200 }, (_, n) => {
    const text = `${n}${control.repeat(46)}x`;
    return [`${n}${control.repeat(96)}x`, { text, order: `${n}` }];
  });
  const add = (n: number) =>
    host.as(owner, "POST", "/realm/profile_fields", {
      ...{ name: `Choices ${n}`, field_type: 3 },
      field_data: Object.fromEntries(choices),
    });
  const statuses = [];
  while (statuses.at(-1) !== 400 && statuses.length < 50) statuses.push((await add(statuses.length)).status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(statuses.at(-1)).toBe(400);
  await fetchWhole(host, owner, "/realm/profile_fields");
});

test("the most user groups, with the most edges and members, are a few megabytes in a registration", async () => {
  const { max } = creationLimits.userGroup;
  const ids = numbers(max);
  // Ten levels of a hundred groups: each contains one or two of the next.
  const levels = Math.floor(max / limits.groupLevels);
  const subgroupsOf = (index: number) =>
    [index + levels, ...(index < creationLimits.subgroup.max - max + levels ? [index + levels + 1] : [])]
      .filter((next) => next < max)
      .map((next) => ids[next] as number);
  const groups = ids.map((id, index): Group => {
    const group = {
      ...{ id, name: `${id}${astral.repeat(20)}`, description: "", createdAt: 1, creatorId: id },
      ...{ isSystem: false, deactivated: false, settings: defaultGroupSettings(id), subgroupIds: subgroupsOf(index) },
    };
    const left = limits.groupListBytes / max - groupBytes(group);
    return { ...group, members: new Set(numbers(Math.floor(left / 8))) };
  });
  const subgroups = Object.fromEntries(groups.map(({ id, subgroupIds }) => [id, subgroupIds]));
  const graph = setSubgroups(ids.at(-1) as number, [], { subgroups });
  await seedTable(host, itemsOf([...groups.flatMap((group) => createGroup(group)), ...graph]));

  const register = async (email: string) => {
    const startedAt = performance.now();
    const reply = await fetch(`${host.url}/api/v1/register`, {
      method: "POST",
      headers: { authorization: await host.credentialsOf(email) },
      body: new URLSearchParams({ fetch_event_types: '["realm_user_groups"]' }),
    });
    const text = await reply.text();
    const [units, stages] = ["read-units", "stages"].map((name) => Number(reply.headers.get(`x-skein-${name}`)));
    return { text, units, stages, ms: performance.now() - startedAt };
  };
  // Reads all 3,000 bots once, and writes the copy of their profiles.
  await register(viola);
  const quiet = [await register(owner), await register(owner), await register(owner)];
  const { text, units, stages } = quiet[0] as (typeof quiet)[number];

  expect(JSON.parse(text).realm_user_groups.filter(({ is_system_group }: any) => !is_system_group)).toHaveLength(max);
  expect(text.length).toBeLessThan(1.1 * limits.groupListBytes);
  // 1 MB of groups in the table, read strongly, and the copy of the profiles; docs/limits.md says so.
  expect(units).toBeLessThan(registrationUnitsAtLimits);
  expect(stages).toBeLessThanOrEqual(5);

  // Somebody else's registration, while one person makes many from another process.
  const url = `${host.url}/api/v1/register`;
  const form = 'fetch_event_types=["realm_user_groups"]';
  let isOver = false;
  const burst = burstFromChild({
    kind: "requests",
    url,
    authorization: await host.credentialsOf(viola),
    count: 30,
    form,
  });
  const end = burst.finally(() => {
    isOver = true;
  });
  const during: number[] = [];
  while (!isOver || during.length < 3) during.push((await register(owner)).ms);
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

  expect([...new Set(await end)]).toEqual([200]);
  expect(median(during)).toBeLessThan(5 * median(quiet.map(({ ms }) => ms)) + 100);
});

const get = (paths: readonly string[]) => paths.map((path) => `GET ${path}`);

/** Too long a list is sent by a link: `complete-lists.test.ts`. */
const complete = endpoints.filter(({ spec }) => spec.storeLongReply).map(nameOf);

/** The reply holds as many entries as fit: `leadingItems` and `trailingItems`. */
const cut = get([
  ...["/messages", "/messages/{message_id}/history", "/messages/matches_narrow", "/events"],
  ...["/scheduled_messages", "/reminders", "/drafts", "/saved_snippets"],
  ...["/users/me/{stream_id}/topics", "/attachments", "/invites", "/bots", "/export/realm", "/realm/audit_log"],
]);

/** A character takes at most six bytes in JSON for each byte that it takes in the table. */
const escaping = 6;
/** DynamoDB's limit. A list in one item, and its events, contain the names of its fields too. */
const inOneItem = 400 * 1024 * escaping;

/** The maximum size of each of the other lists, from the declared limits. */
const computed = new Map(
  Object.entries({
    "/users/me/alert_words": inOneItem,
    "/navigation_views": inOneItem,
    "/realm/linkifiers": inOneItem,
    "/realm/domains": inOneItem,
    "/realm/profile_fields": inOneItem,
    // Names of up to 60 characters, and up to 50 channels' IDs.
    "/agent_keys": creationLimits.agentKey.max * (60 * 2 * escaping + 2 * 50 * 17 + 400),
    "/realm/agent_keys": 100 * (60 * 2 * escaping + 2 * 50 * 17 + 400),
    "/agent_keys/{key_id}/calls": 200 * (20 * 17 + 300),
    // The name of a program has up to 30 characters.
    "/users/me/devices": creationLimits.session.max * (60 * escaping + 300),
    // IDs of the organization's channels.
    "/users/{user_id}/channels": creationLimits.channel.max * 17,
    // A user, with the values of all profile fields.
    "/users/me": inOneItem,
    "/channel_folders": maxListBytes + maxFolders * (limits.channelFolderNameLength * escaping + 300),
    // All groups' subgroups are in one item.
    "/user_groups/{user_group_id}/subgroups": inOneItem,
    "/dev_list_users": 200 * ((maxAddressLength + limits.fullNameLength) * escaping + 1000),
    // The organization's description is rendered like a message; quotation marks in HTML take two bytes.
    "/server_settings": limits.renderedBytes * 2 + 10_000,
  }).map(([path, bytes]) => [`GET ${path}`, bytes]),
);

/** The same for everybody. */
const constant = get(["/emoji_data"]);

describe("every endpoint that returns a list", () => {
  const lists = endpoints.filter(
    ({ spec }) =>
      spec.method === "GET" &&
      Object.values(spec.returns ?? {}).some((field) =>
        /^(array|record)$/.test((field as any).schema?.def?.type ?? ""),
      ),
  );

  test("cuts it, limits it or sends it by a link", () => {
    const bounded = new Set([...cut, ...complete, ...computed.keys(), ...constant]);
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.map(nameOf).filter((name) => !bounded.has(name))).toEqual([]);
  });

  test("with declared limits has small ones", () => {
    expect([...computed].filter(([, bytes]) => bytes >= maxReplyBytes)).toEqual([]);
  });

  test("that returns a constant list returns a short one", async () => {
    await fetchWhole(host, viola, "/emoji_data");
  });
});
