import { describe, expect, test } from "vitest";
import { type CreationKind, limitOf } from "../../shared/base/creation-limits.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { creationWindow, dailyLimit } from "../../shared/services/identity/creation-counts.ts";
import { addRequests } from "../../shared/store/users/request-counts.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** How much people may create in a day, for all kinds that are counted. */

/** Counts as if a person had created all but `left` of what they may create today. */
async function useUp(kind: CreationKind, { id }: Person, role: (typeof roles)[keyof typeof roles], left: number) {
  const limit = dailyLimit(kind, { id, role }) ?? 0;
  await addRequests(creationWindow(kind, { id }), Date.now() / 1000, limit - left);
  return limit;
}

const word = () => unique("mote").replaceAll(/[^a-z0-9]/gi, "");

/** A request that creates one of a kind. Administrators alone may make some. */
const requests: [CreationKind, method: string, path: () => string, params: () => Record<string, unknown>][] = [
  ["channelFolder", "POST", () => "/channel_folders/create", () => ({ name: unique("folder"), description: "" })],
  ["userGroup", "POST", () => "/user_groups/create", () => ({ name: unique("group"), description: "", members: [] })],
  ["bot", "POST", () => "/bots", () => ({ full_name: "Puck", short_name: word().slice(-12) })],
  [
    "linkifier",
    "POST",
    () => "/realm/filters",
    () => ({ pattern: `${word()}-(?P<id>[0-9]+)`, url_template: "https://globe.test/{id}" }),
  ],
  [
    "playground",
    "POST",
    () => "/realm/playgrounds",
    () => ({ name: unique("play"), pygments_language: "Python", url_template: "https://globe.test/{code}" }),
  ],
  [
    "realmDomain",
    "POST",
    () => "/realm/domains",
    () => ({ domain: `${word()}.test`.toLowerCase(), allow_subdomains: false }),
  ],
  ["profileField", "POST", () => "/realm/profile_fields", () => ({ name: word().slice(-20), field_type: 1 })],
  ["invitationLink", "POST", () => "/invites/multiuse", () => ({ invite_expires_in_minutes: 10 })],
  [
    "user",
    "POST",
    () => "/users",
    () => ({ email: `${word()}@globe.test`, full_name: "Snug", password: "rosencrantz and guildenstern" }),
  ],
];

describe.each(requests)("%s", (kind, method, path, params) => {
  test("beyond the day's limit it is refused with the time until the next day, also for two at once", async () => {
    const theseus = await aPerson("Theseus", { role: "owner" });
    const limit = await useUp(kind, theseus, roles.owner, 1);

    const replies = await Promise.all([1, 2].map(() => theseus.call(method, path(), params())));

    const [refused] = replies.filter(({ status }) => status !== 200);
    expect(replies.filter(({ status }) => status === 200).map(({ body }) => body.msg)).toEqual([""]);
    expect([refused?.status, refused?.body.code, refused?.body.msg]).toEqual([
      429,
      "RATE_LIMIT_HIT",
      `You can create at most ${limit} ${limitOf(kind).name} a day.`,
    ]);
    expect(refused?.body["retry-after"]).toBeGreaterThan(0);
  });
});

test("a refused request does not count towards the day's limit", async () => {
  const egeus = await aPerson("Egeus");
  await useUp("userGroup", egeus, roles.member, 1);
  const create = (name: string) => egeus.call("POST", "/user_groups/create", { name, description: "", members: [] });

  expect((await create("role:fathers")).body.code).toBe("BAD_REQUEST");
  expect((await create(unique("fathers"))).status).toBe(200);
  expect((await create(unique("fathers"))).body.code).toBe("RATE_LIMIT_HIT");
});

test("policies of topics have a limit per day", async () => {
  const hermia = await aPerson("Hermia");
  const channel = await aChannel("wood", [hermia]);
  await useUp("topicPolicy", hermia, roles.member, 1);
  const follow = (topic: string) =>
    hermia.call("POST", "/user_topics", { stream_id: channel.id, topic, visibility_policy: 3 });

  expect((await follow("moonshine")).status).toBe(200);
  expect((await follow("lanterns")).body.code).toBe("RATE_LIMIT_HIT");
});

test("members of groups and subgroups are counted by their number", async () => {
  const [helena, demetrius] = [await aPerson("Helena"), await aPerson("Demetrius")];
  const create = async (members: number[]) =>
    helena.call("POST", "/user_groups/create", { name: unique("lovers"), description: "", members });
  const [outer, inner, other] = [(await create([])).body, (await create([])).body, (await create([])).body];
  await useUp("groupMember", helena, roles.member, 1);
  await useUp("subgroup", helena, roles.member, 1);
  const change = (params: Record<string, unknown>) =>
    helena.call("POST", `/user_groups/${outer.group_id}/members`, params);

  expect((await change({ add: [helena.id, demetrius.id] })).body.code).toBe("RATE_LIMIT_HIT");
  expect((await change({ add_subgroups: [inner.group_id, other.group_id] })).body.code).toBe("RATE_LIMIT_HIT");
  expect((await change({ add: [demetrius.id], add_subgroups: [inner.group_id] })).status).toBe(200);
});
