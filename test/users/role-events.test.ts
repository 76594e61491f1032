import { beforeAll, expect, test } from "vitest";
import { members } from "../../shared/base/schema/system-groups.ts";
import { aboutChannel, type Listener, listen } from "../support/listener.ts";
import { LiveState } from "../support/model/live-state.ts";
import { withSettings } from "../support/organization.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Prospero", { role: "owner" });
});

const setRole = async (person: Person, role: number) => {
  expect((await owner.call("PATCH", `/users/${person.id}`, { role })).status).toBe(200);
};

/** Waits until the last event about a channel that a client has received has the given `op`. */
const untilLastEventIs = (listener: Listener, channel: { id: number }, op: string) =>
  eventually(async () => {
    await listener.poll();
    return listener.received.filter(aboutChannel(channel)).at(-1)?.op === op;
  });
const streamEvents = { event_types: ["stream"] };
const [memberRole, guestRole, administratorRole] = [400, 600, 200];

test("becoming a guest removes unsubscribed public channels, and becoming a member adds them", async () => {
  const miranda = await aPerson("Miranda");
  const [cell, shore] = [await aChannel("cell", []), await aChannel("shore", [miranda])];
  const listener = await listen(miranda, streamEvents);

  await setRole(miranda, guestRole);
  await untilLastEventIs(listener, cell, "delete");
  expect(listener.received.filter(({ op }) => op === "delete")).toEqual([
    {
      type: "stream",
      op: "delete",
      id: expect.any(Number),
      stream_ids: expect.arrayContaining([cell.id]),
      streams: expect.arrayContaining([{ stream_id: cell.id }]),
    },
  ]);
  expect(listener.received.filter(aboutChannel(shore))).toEqual([]);

  await setRole(miranda, memberRole);
  await untilLastEventIs(listener, cell, "create");
  const created = listener.received.at(-1).streams.map(({ stream_id }: { stream_id: number }) => stream_id);
  expect(created).toContain(cell.id);
  expect(created).not.toContain(shore.id);
});

test("becoming an administrator adds private channels, and losing the role removes them", async () => {
  const antonio = await aPerson("Antonio");
  const [plot, cell] = [await aChannel("plot", [], { inviteOnly: true }), await aChannel("cell", [])];
  const listener = await listen(antonio, streamEvents);

  await setRole(antonio, administratorRole);
  await untilLastEventIs(listener, plot, "create");
  await setRole(antonio, memberRole);
  await untilLastEventIs(listener, plot, "delete");

  expect(listener.received.filter(aboutChannel(cell))).toEqual([]);
});

test("archived channels are only added and removed for clients that support them", async () => {
  const trinculo = await aPerson("Trinculo");
  const wreck = await aChannel("wreck", []);
  expect((await owner.call("DELETE", `/streams/${wreck.id}`)).status).toBe(200);
  // The event about this channel shows that the events of the role's change have arrived.
  const marker = await aChannel("marker", []);
  const capabilities = { notification_settings_null: true, archived_channels: true };
  const [supporting, unsupporting] = [
    await listen(trinculo, { ...streamEvents, client_capabilities: capabilities }),
    await listen(trinculo, streamEvents),
  ];

  await setRole(trinculo, guestRole);
  await untilLastEventIs(supporting, wreck, "delete");
  await untilLastEventIs(unsupporting, marker, "delete");

  expect(unsupporting.received.filter(aboutChannel(wreck))).toEqual([]);
});

test("a new role shows and hides the addresses of others, whether or not it shows and hides the people", async () => {
  const gonzalo = await aPerson("Gonzalo");
  const neighbours: Person[] = [];
  for (const email_address_visibility of [1, 2, 3, 4, 5]) {
    const neighbour = await aPerson(`Spirit ${email_address_visibility}`);
    await neighbour.do("PATCH", "/settings", { email_address_visibility });
    await neighbour.do("POST", "/users/me/status", { away: true });
    neighbours.push(neighbour);
  }
  await aChannel("masque", [gonzalo, ...neighbours.slice(0, 3)]);
  const client = await LiveState.register(gonzalo);
  const changesOf = ({ id }: Person) =>
    client.received.flatMap(({ type, op, person }: any) =>
      type === "realm_user" && op === "update" && person.user_id === id && "delivery_email" in person ? [person] : [],
    );
  const follow = async (newRoles: readonly number[]) => {
    for (const role of newRoles) {
      await setRole(gonzalo, role);
      expect(await client.differencesToFresh()).toEqual({});
    }
  };

  await follow([300, administratorRole, 100, guestRole, memberRole]);
  const seen = neighbours.map(({ id, email }) => [
    { user_id: id, delivery_email: email },
    { user_id: id, delivery_email: null },
  ]);
  expect(neighbours.map(changesOf)).toEqual([[], seen[1]?.toReversed(), seen[2], [], seen[4]]);

  // Two changes whose events come at once.
  await setRole(gonzalo, administratorRole);
  await follow([guestRole]);
  await withSettings({ can_access_all_users_group: members }, () => follow([administratorRole, guestRole]));
});
