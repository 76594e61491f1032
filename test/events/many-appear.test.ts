import { beforeAll, expect, test } from "vitest";
import { members } from "../../shared/base/schema/system-groups.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { listen } from "../support/listener.ts";
import { LiveState, oldestClient } from "../support/model/live-state.ts";
import { withSettings } from "../support/organization.ts";
import { aBot } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * One change may show more to a person than 128 events say: people with their status and presence, bots, and lists of subscribers. A
 * client that follows events then equals one that registers anew, too.
 */

let owner: Person;
let crowd: Person[];
let square: Channel;

const count = 50;
const many = <T>(make: (index: number) => Promise<T>, length = count) =>
  Promise.all(Array.from({ length }, (_, index) => make(index)));

beforeAll(async () => {
  owner = await aPerson("Menenius", { role: "owner" });
  crowd = [];
  // An emulator on two cores starts a process for each of what comes at once.
  while (crowd.length < count)
    crowd.push(
      ...(await many(async (index) => {
        const citizen = await aPerson(`Citizen ${crowd.length + index}`);
        await citizen.do("POST", "/users/me/status", { status_text: "hungry" });
        await citizen.do("POST", "/users/me/presence", { status: "active", ping_only: true });
        return citizen;
      }, 10)),
    );
  square = await aChannel("square", crowd);
});

const setRole = ({ id }: Person, role: number) => owner.do("PATCH", `/users/${id}`, { role });
const change = (method: "POST" | "DELETE", { id }: Person) =>
  owner.do(method, "/users/me/subscriptions", {
    ...{ subscriptions: method === "POST" ? [{ name: square.name }] : [square.name], principals: [id] },
  });
const expectFresh = async (clients: readonly LiveState[]) =>
  expect(Object.assign({}, ...(await Promise.all(clients.map((one) => one.differencesToFresh()))))).toEqual({});

test("a guest with limited access sees everybody appear and disappear, with status and presence", async () => {
  const guest = await aPerson("Volscian", { role: "guest" });
  await withSettings({ can_access_all_users_group: members }, async () => {
    const clients = [await LiveState.register(guest), await LiveState.register(guest, oldestClient)];
    await change("POST", guest);
    await expectFresh(clients);
    await change("DELETE", guest);
    await expectFresh(clients);
    for (const role of [400, 600]) {
      await setRole(guest, role);
      await expectFresh(clients);
    }
  });
});

test("a poll that names an event in the middle of a change gets those that follow it", async () => {
  const guest = await aPerson("Aufidius", { role: "guest" });
  await withSettings({ can_access_all_users_group: members }, async () => {
    const { queueId: queue_id, lastEventId } = await listen(guest);
    await change("POST", guest);
    const after = async (last_event_id: number) =>
      (await guest.do("GET", "/events", { queue_id, last_event_id, dont_block: true })).events;
    const all = await after(lastEventId);
    expect(all.length).toBeGreaterThan(3 * count);
    const ids = all.slice(141).map(({ id }: any) => id);
    // Events of later changes may follow.
    expect((await after(all[140].id)).slice(0, ids.length).map(({ id }: any) => id)).toEqual(ids);
  });
});

test("a bot, whose queue has few IDs, is always told what the change itself is", async () => {
  const bot = await aBot(owner);
  await setRole(bot, 600);
  await withSettings({ can_access_all_users_group: members }, async () => {
    const listener = await listen(bot);
    await change("POST", bot);
    const events = await listener.poll();
    expect(events).toHaveLength(128);
    expect(events).toContainEqual(expect.objectContaining({ type: "subscription", op: "add" }));
  });
});

test("a new administrator is told of all bots and of all private channels with their subscribers", async () => {
  await many(() => aBot(owner), 70);
  await many((index) => aChannel(`house ${index}`, [owner], { inviteOnly: true }), 70);
  const tribune = await aPerson("Sicinius");
  const clients = [await LiveState.register(tribune)];
  for (const role of [200, 400]) {
    await setRole(tribune, role);
    await expectFresh(clients);
  }
});
