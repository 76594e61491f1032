import { expect, test } from "vitest";
import { findChannelWithStats } from "../../shared/store/channels/channels.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { updateUser } from "../../shared/store/users/users.ts";
import { about, recordLog } from "../support/channel-log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const path = "/users/me/subscriptions";
const remove = (person: Person, names: string[], principals?: (number | string)[]) =>
  person.call("DELETE", path, { subscriptions: names, principals });

test("unsubscribing removes the subscription, with an event for others", async () => {
  const [cordelia, regan] = [await aPerson("Cordelia"), await aPerson("Regan")];
  const [court, closet] = [
    await aChannel("court", [cordelia, regan]),
    await aChannel("closet", [cordelia, regan], { inviteOnly: true }),
  ];
  const log = await recordLog();

  const reply = await remove(cordelia, [court.name.toUpperCase(), closet.name]);
  const repeated = await remove(cordelia, [court.name]);

  expect(reply.body).toEqual({ result: "success", msg: "", removed: [court.name, closet.name], not_removed: [] });
  expect(repeated.body).toMatchObject({ removed: [], not_removed: [court.name] });
  expect((await findChannelWithStats(court.id))?.stats.subscriberCount).toBe(1);
  const types = ["subscription", "stream"];
  expect(about(court.id, await log.eventsFor(cordelia, types))).toEqual([
    { type: "subscription", op: "remove", subscriptions: [{ stream_id: court.id, name: court.name }] },
  ]);
  expect(about(closet.id, await log.eventsFor(cordelia, types)).map(({ type, op }) => `${type} ${op}`)).toEqual([
    "subscription remove",
    "stream delete",
  ]);
  expect(about(court.id, await log.eventsFor(regan, types))).toEqual([
    { type: "subscription", op: "peer_remove", stream_ids: [court.id], user_ids: [cordelia.id] },
  ]);
});

test("resubscribing keeps the settings, and in protected history messages sent in between stay hidden", async () => {
  const [cordelia, regan] = [await aPerson("Cordelia"), await aPerson("Regan")];
  const closet = await aChannel("closet", [cordelia, regan], { inviteOnly: true });
  const send = (content: string) =>
    regan.call("POST", "/messages", { type: "channel", to: closet.id, topic: "t", content });
  await cordelia.do("POST", `${path}/properties`, {
    subscription_data: [{ stream_id: closet.id, property: "pin_to_top", value: true }],
  });

  await send("one");
  await remove(cordelia, [closet.name]);
  await send("two");
  await regan.do("POST", path, {
    subscriptions: [{ name: closet.name }],
    principals: [cordelia.id],
    send_new_subscription_messages: false,
  });
  await send("three");

  const params = { anchor: "newest", num_before: 5, num_after: 0, apply_markdown: false };
  const read = await cordelia.call("GET", "/messages", params);
  expect(read.body.messages.map(({ content }: { content: string }) => content)).toEqual(["one", "three"]);
  const { body } = await cordelia.call("GET", path);
  expect(body.subscriptions[0]).toMatchObject({ stream_id: closet.id, pin_to_top: true });
});

test("others can be unsubscribed by people with the channel's permission, administrators and owners of bots", async () => {
  const [cordelia, regan, remover] = [await aPerson("Cordelia"), await aPerson("Regan"), await aPerson("Kent")];
  const lear = await aPerson("Lear", { role: "administrator" });
  const bot = await aPerson("Fool");
  await transact([updateUser(bot.id, { set: { ownerId: cordelia.id, botType: 1 } })]);
  const permissions = { can_remove_subscribers_group: { direct_members: [remover.id], direct_subgroups: [] } };
  const court = await aChannel("court", [regan, bot, cordelia], { permissions });

  expect((await remove(cordelia, [court.name], [regan.id])).body).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Insufficient permission",
  });
  expect((await remove(cordelia, [court.name], [bot.id])).body.removed).toEqual([court.name]);
  expect((await remove(remover, [court.name], [regan.email])).body.removed).toEqual([court.name]);
  expect((await remove(lear, [court.name], [cordelia.id])).body.removed).toEqual([court.name]);
});

test("nonexistent and hidden channels are named in the error", async () => {
  const cordelia = await aPerson("Cordelia");
  const [court, closet] = [await aChannel("court", [cordelia]), await aChannel("closet", [], { inviteOnly: true })];

  const reply = await remove(cordelia, [court.name, closet.name, "no such"]);

  expect(reply).toMatchObject({
    status: 400,
    body: {
      code: "STREAM_DOES_NOT_EXIST",
      msg: `Channel(s) (${closet.name}, no such) do not exist`,
      stream: `${closet.name}, no such`,
    },
  });
  expect((await findChannelWithStats(court.id))?.stats.subscriberCount).toBe(1);
  expect((await remove(cordelia, [court.name], [99_999_999])).body.msg).toBe("No such user");
});

test("one request can subscribe to some channels and unsubscribe from others", async () => {
  const cordelia = await aPerson("Cordelia");
  const [court, heath] = [await aChannel("court", [cordelia]), await aChannel("heath", [])];

  const reply = await cordelia.call("PATCH", path, {
    add: [{ name: heath.name, color: "#123456" }],
    delete: [court.name],
  });
  const emptyRequest = await cordelia.call("PATCH", path, {});

  expect(reply.body).toEqual({
    result: "success",
    msg: "",
    subscribed: { [cordelia.id]: [heath.name] },
    already_subscribed: {},
    removed: [court.name],
    not_removed: [],
    new_subscription_messages_sent: true,
  });
  const { body } = await cordelia.call("GET", path, { include_subscribers: "true" });
  expect(body.subscriptions).toHaveLength(1);
  expect(body.subscriptions[0]).toMatchObject({ stream_id: heath.id, color: "#123456", subscribers: [cordelia.id] });
  expect(emptyRequest.body.msg).toContain("Nothing to do");
});
