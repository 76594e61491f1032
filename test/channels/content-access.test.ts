import { beforeAll, describe, expect, test } from "vitest";
import { aChannel, aPerson, comparableCosts, costTest, type Person } from "../support/world.ts";

/** Who may access a private channel's content without a subscription. */

let duke: Person;
let lucio: Person;
let guest: Person;
beforeAll(async () => {
  [duke, lucio, guest] = await Promise.all([
    aPerson("Vincentio"),
    aPerson("Lucio"),
    aPerson("Barnardine", { role: "guest" }),
  ]);
});

const sendMessage = async (id: number, content: string): Promise<number> =>
  (await duke.call("POST", "/messages", { type: "channel", to: id, topic: "law", content })).body.id;
const readBy = (person: Person, id: number) =>
  person.call("GET", "/messages", {
    anchor: "newest",
    num_before: 10,
    num_after: 0,
    narrow: [{ operator: "channel", operand: id }],
  });
const idsReadBy = async (person: Person, id: number) =>
  (await readBy(person, id)).body.messages.map((message: { id: number }) => message.id);
const grantedTo = (...people: Person[]) => ({ direct_members: people.map(({ id }) => id), direct_subgroups: [] });

describe.each(["can_subscribe_group", "can_add_subscribers_group"])("%s of a private channel", (name) => {
  test("content access opens shared history (messages, topics, reactions and files), but not to guests", async () => {
    const options = {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      permissions: { [name]: grantedTo(lucio, guest) },
    };
    const cell = await aChannel("cell", [duke], options);
    const first = await sendMessage(cell.id, "Be absolute for death");

    expect(await idsReadBy(lucio, cell.id)).toEqual([first]);
    expect((await lucio.call("GET", `/messages/${first}`)).body.message).toMatchObject({
      id: first,
      flags: ["read", "historical"],
    });
    expect((await lucio.call("GET", `/users/me/${cell.id}/topics`)).body.topics).toEqual([
      { name: "law", max_id: first },
    ]);
    expect((await lucio.call("POST", `/messages/${first}/reactions`, { emoji_name: "tada" })).status).toBe(200);
    expect(await readBy(guest, cell.id)).toMatchObject({ status: 400, body: { code: "BAD_NARROW" } });
    expect(await guest.call("GET", `/messages/${first}`)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
    const allMessages = await lucio.call("GET", "/messages", { anchor: "newest", num_before: 10, num_after: 0 });
    expect(allMessages.body.messages.map((message: { id: number }) => message.id)).not.toContain(first);
  });

  test("content access opens protected history only for the time of a subscription", async () => {
    const options = { inviteOnly: true, permissions: { [name]: grantedTo(lucio) } };
    const cell = await aChannel("cell", [duke], options);
    await sendMessage(cell.id, "before");
    await lucio.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: cell.name }] });
    const during = await sendMessage(cell.id, "during");
    await lucio.do("DELETE", "/users/me/subscriptions", { subscriptions: [cell.name] });
    const after = await sendMessage(cell.id, "after");

    expect(await idsReadBy(lucio, cell.id)).toEqual([during]);
    expect((await lucio.call("GET", `/messages/${after}`)).status).toBe(400);
  });

  test("content access does not allow posting without a subscription", async () => {
    const options = { inviteOnly: true, permissions: { [name]: grantedTo(lucio) } };
    const cell = await aChannel("cell", [duke], options);

    const reply = await lucio.call("POST", "/messages", { type: "channel", to: cell.id, topic: "law", content: "x" });
    expect(reply).toMatchObject({ status: 400, body: { msg: `Not authorized to send to channel '${cell.id}'` } });
  });
});

costTest(
  "a permission to read that is held through three levels of groups costs no more reads than a flat one",
  async () => {
    const create = async (members: number[], subgroups: number[]): Promise<number> => {
      const name = `friars ${subgroups.join()} ${duke.id} ${members.length}`;
      const params = { name, description: "", members, subgroups };
      return (await duke.call("POST", "/user_groups/create", params)).body.group_id;
    };
    const flat = await create([lucio.id, duke.id], []);
    const inner = await create([lucio.id], []);
    const outer = await create([], [await create([], [inner])]);
    const costOf = async (can_subscribe_group: number) => {
      const options = { inviteOnly: true, historyPublicToSubscribers: true, permissions: { can_subscribe_group } };
      const message = await sendMessage((await aChannel("cell", [duke], options)).id, "x");
      const read = () => lucio.call("GET", `/messages/${message}`);
      expect((await read()).status).toBe(200);
      return (await read()).cost;
    };

    const [nestedCost, flatCost] = await comparableCosts(async () => [await costOf(outer), await costOf(flat)]);

    expect(nestedCost).toEqual(flatCost);
  },
);
