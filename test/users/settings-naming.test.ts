import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { takeIds } from "../../shared/store/table/counters.ts";
import { aboutChannel, listen } from "../support/listener.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let admin: Person;
let claudio: Person;
let lucio: Person;
beforeAll(async () => {
  [admin, lucio] = await Promise.all([aPerson("Angelo", { role: "administrator" }), aPerson("Lucio")]);
});

/** A permission value that consists of some users. */
const members = (...people: Person[]) => ({
  direct_members: people.map(({ id }) => id).sort((a, b) => a - b),
  direct_subgroups: [],
});
const setActive = (active: boolean) =>
  active ? admin.call("POST", `/users/${claudio.id}/reactivate`) : admin.call("DELETE", `/users/${claudio.id}`);

test("clients receive an event for each channel setting that a deactivated or reactivated user is named in", async () => {
  claudio = await aPerson("Claudio");
  const permissions = {
    can_send_message_group: members(claudio, lucio),
    can_administer_channel_group: members(claudio),
  };
  const prison = await aChannel("prison", [lucio], { inviteOnly: true, permissions });
  const [listener, outsider] = await Promise.all([
    listen(lucio, { event_types: ["stream"] }, aboutChannel(prison)),
    aPerson("Elbow").then((elbow) => listen(elbow, { event_types: ["stream"] }, aboutChannel(prison))),
  ]);
  const update = (property: string, value: unknown) => ({
    type: "stream",
    op: "update",
    id: expect.any(Number),
    stream_id: prison.id,
    name: prison.name,
    property,
    value,
  });
  const received = async (count: number) => {
    await eventually(async () => {
      await listener.poll();
      return listener.received.length >= count;
    });
    return listener.received.slice(count - 2);
  };

  await setActive(false);
  expect(await received(2)).toEqual(
    expect.arrayContaining([
      update("can_send_message_group", members(lucio)),
      update("can_administer_channel_group", members()),
    ]),
  );
  await setActive(true);
  expect(await received(4)).toEqual(
    expect.arrayContaining([
      update("can_send_message_group", members(claudio, lucio)),
      update("can_administer_channel_group", members(claudio)),
    ]),
  );
  await outsider.poll();
  expect(outsider.received).toEqual([]);
});

test("clients receive events for the settings of user groups too", async () => {
  claudio = await aPerson("Claudio");
  const { body } = await lucio.call("POST", "/user_groups/create", {
    name: `friars ${await takeIds("recipient")}`,
    description: "",
    members: [],
    can_join_group: members(claudio, lucio),
    can_leave_group: members(claudio),
  });
  const listener = await listen(lucio, { event_types: ["user_group"] }, ({ group_id }) => group_id === body.group_id);
  const update = (data: object) => ({
    type: "user_group",
    op: "update",
    id: expect.any(Number),
    group_id: body.group_id,
    data,
  });

  await setActive(false);
  expect(await listener.next("user_group")).toEqual(
    update({ can_join_group: members(lucio), can_leave_group: members() }),
  );
  await setActive(true);
  expect(await listener.next("user_group")).toEqual(
    update({ can_join_group: members(claudio, lucio), can_leave_group: members(claudio) }),
  );
});

describe("for the organization's settings", () => {
  let organization: OrganizationSession;
  const owner = "owner@globe.test";
  beforeAll(async () => {
    organization = await openOrganization();
  }, 60_000);
  afterAll(async () => {
    // Other files use these users.
    for (const id of [2, 3]) await organization?.do(owner, "POST", `/users/${id}/reactivate`);
    await organization?.restoreSettings();
  });

  test("clients receive an event only if a setting names the user", async () => {
    const value = (...direct_members: number[]) => ({ direct_members, direct_subgroups: [] });
    await organization.do(owner, "PATCH", "/realm", { can_create_groups: { new: value(1, 2) } });
    const { queue_id } = await organization.as(owner, "POST", "/register", { event_types: ["realm"] });

    let last_event_id = -1;
    const received = () =>
      eventually(async () => {
        const { events } = await organization.as(owner, "GET", "/events", {
          queue_id,
          last_event_id,
          dont_block: true,
        });
        last_event_id = events.at(-1)?.id ?? last_event_id;
        return events.length > 0 && events;
      });
    const update = (can_create_groups: object) => ({
      type: "realm",
      op: "update_dict",
      property: "default",
      id: expect.any(Number),
      data: { can_create_groups },
    });

    await organization.do(owner, "DELETE", "/users/3");
    await organization.do(owner, "DELETE", "/users/2");
    expect(await received()).toEqual([update(value(1))]);
    await organization.do(owner, "POST", "/users/2/reactivate");
    expect(await received()).toEqual([update(value(1, 2))]);
  });
});
