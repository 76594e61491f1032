import { beforeAll, expect, test } from "vitest";
import { aboutChannel, type Listener, listen } from "../support/listener.ts";
import { aGroup } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The events for users who gain or lose access to a private channel through a group or a permission. */

let owner: Person;
let duke: Person;
beforeAll(async () => {
  [owner, duke] = await Promise.all([aPerson("Vincentio", { role: "owner" }), aPerson("Escalus")]);
});

const nobody = 1;
const options = { event_types: ["stream", "subscription"], include_subscribers: "true" };
/** The events that a listener has received, as "type op property". */
const summariesOf = (listener: Listener) =>
  listener.received.map(({ type, op, property }) => [type, op, property].filter(Boolean).join(" "));
/** What a user receives when a private channel becomes visible. */
const appearance = ["stream create", "subscription peer_add"];

const changeMembers = async (group: number, change: Record<string, number[]>) =>
  expect((await owner.call("POST", `/user_groups/${group}/members`, change)).body.msg).toBe("");
const changeChannel = async (channel: { id: number }, change: Record<string, unknown>) =>
  expect((await owner.call("PATCH", `/streams/${channel.id}`, change)).body.msg).toBe("");

const permissions = ["can_subscribe_group", "can_add_subscribers_group", "can_administer_channel_group"] as const;

test.each(permissions)(
  "membership of a group with %s, direct or through subgroups, makes the channel appear and disappear",
  async (permission) => {
    const [lucio, froth] = await Promise.all([aPerson("Lucio"), aPerson("Froth")]);
    const inner = await aGroup([froth]);
    const [outer, middle] = [await aGroup([]), await aGroup([], { subgroupIds: [inner] })];
    const value = { direct_members: [], direct_subgroups: [outer, nobody] };
    const cell = await aChannel("cell", [duke], { inviteOnly: true, permissions: { [permission]: value } });
    const [directMember, indirectMember] = (await Promise.all(
      [lucio, froth].map((person) => listen(person, options, aboutChannel(cell))),
    )) as [Listener, Listener];

    await changeMembers(outer, { add: [lucio.id], add_subgroups: [middle] });
    await directMember.next("subscription");
    await indirectMember.next("subscription");
    expect(directMember.received).toEqual([
      {
        type: "stream",
        op: "create",
        id: expect.any(Number),
        streams: [expect.objectContaining({ stream_id: cell.id, name: cell.name, subscriber_count: 0 })],
      },
      { type: "subscription", op: "peer_add", id: expect.any(Number), stream_ids: [cell.id], user_ids: [duke.id] },
    ]);
    expect(summariesOf(indirectMember)).toEqual(appearance);

    await changeMembers(outer, { delete: [lucio.id], delete_subgroups: [middle] });
    expect(await directMember.next("stream")).toEqual({
      type: "stream",
      op: "delete",
      id: expect.any(Number),
      stream_ids: [cell.id],
      streams: [{ stream_id: cell.id }],
    });
    await indirectMember.next("stream");
    expect(summariesOf(indirectMember)).toEqual([...appearance, "stream delete"]);
  },
);

test("a channel that is visible through two groups appears with the first and disappears with the last", async () => {
  const claudio = await aPerson("Claudio");
  const groups = [await aGroup([]), await aGroup([])] as const;
  const value = { direct_members: [], direct_subgroups: [...groups] };
  const cell = await aChannel("cell", [duke], { inviteOnly: true, permissions: { can_subscribe_group: value } });
  const listener = await listen(claudio, options, aboutChannel(cell));

  for (const group of groups) await changeMembers(group, { add: [claudio.id] });
  for (const group of groups) await changeMembers(group, { delete: [claudio.id] });
  await changeMembers(groups[0], { add: [claudio.id] });

  // One poll after all changes must also return the access that was gained and lost meanwhile.
  await listener.poll();
  expect(summariesOf(listener)).toEqual([...appearance, "stream delete", ...appearance]);
});

test("a change of a channel's permissions makes it appear or disappear, and updates those who see it anyway", async () => {
  const [juliet, angelo] = await Promise.all([aPerson("Juliet"), aPerson("Angelo")]);
  const group = await aGroup([juliet]);
  const cell = await aChannel("cell", [duke, owner], { inviteOnly: true });
  const [gainer, subscriber, outsider] = (await Promise.all(
    [juliet, duke, angelo].map((person) => listen(person, options, aboutChannel(cell))),
  )) as [Listener, Listener, Listener];

  await changeChannel(cell, { can_subscribe_group: { new: group }, can_administer_channel_group: { new: group } });
  await gainer.next("subscription");
  await changeChannel(cell, { can_subscribe_group: { new: nobody } });
  for (const property of ["can_administer_channel_group", "can_subscribe_group"])
    expect(await gainer.next("stream")).toMatchObject({ op: "update", property });
  await changeChannel(cell, { can_administer_channel_group: { new: nobody } });
  while (summariesOf(gainer).at(-1) !== "stream delete") await gainer.poll({ dont_block: false });

  const updates = ["stream update can_administer_channel_group", "stream update can_subscribe_group"];
  expect(summariesOf(gainer)).toEqual([...appearance, ...updates, "stream delete"]);
  while (subscriber.received.length < 4) await subscriber.poll({ dont_block: false });
  expect(subscriber.received.map(({ op, property, value, was, is }) => [op, property, value, was ?? is])).toEqual([
    ["update", "can_subscribe_group", group, undefined],
    ["update", "can_administer_channel_group", group, undefined],
    ["update", "can_subscribe_group", nobody, undefined],
    ["update", "can_administer_channel_group", nobody, undefined],
  ]);
  await outsider.poll();
  expect(outsider.received).toEqual([]);
});

test("a group that is created and given a permission during a long poll makes the channel appear", async () => {
  const mariana = await aPerson("Mariana");
  const grange = await aChannel("grange", [duke, owner], { inviteOnly: true });
  const listener = await listen(mariana, options, aboutChannel(grange));

  const waiting = listener.next("subscription");
  const group = { name: `friars of ${grange.name}`, description: "", members: [mariana.id] };
  const { group_id } = (await owner.call("POST", "/user_groups/create", group)).body;
  await changeChannel(grange, { can_subscribe_group: { new: group_id } });

  expect((await waiting).user_ids).toEqual([owner.id, duke.id].sort((a, b) => a - b));
  expect(summariesOf(listener)).toEqual(appearance);
});
