import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** The read state and flags that clients receive: in the initial state and in events. */

let lear: Person;
let cordelia: Person;
let kent: Person;
let heath: Channel;

beforeAll(async () => {
  [lear, cordelia, kent] = await Promise.all([aPerson("Lear"), aPerson("Cordelia"), aPerson("Kent")]);
  heath = await aChannel("heath", [lear, cordelia, kent]);
});

const send = async (person: Person, to: Record<string, unknown>, content = "Blow, winds") =>
  (await person.call("POST", "/messages", { ...to, content })).body.id as number;
const onHeath = (topic: string) => ({ type: "channel", to: heath.id, topic });
const register = async (person: Person, types: string[]) =>
  (await person.call("POST", "/register", { event_types: types, fetch_event_types: types })).body;
const eventsOf = async (person: Person, queue: { queue_id: string; last_event_id: number }) => {
  const { queue_id, last_event_id } = queue;
  const { body } = await person.call("GET", "/events", { queue_id, last_event_id, dont_block: true });
  return body.events.map(({ id: _, ...event }: { id: number }) => event);
};

test("registration returns the unread messages by conversation", async () => {
  const storm = await send(cordelia, onHeath("storm"));
  const mention = await send(cordelia, onHeath("Storm"), `@**Lear|${lear.id}** come in`);
  const wildcardMention = await send(kent, onHeath("hut"), "@**all** come in");
  const pair = await send(cordelia, { type: "direct", to: [lear.id] });
  const trio = await send(kent, { type: "direct", to: [lear.id, cordelia.id] });
  const read = await send(kent, onHeath("hut"));
  await lear.do("POST", "/messages/flags", { messages: [read], op: "add", flag: "read" });
  await lear.do("POST", "/messages/flags", { messages: [storm], op: "add", flag: "starred" });

  const state = await register(lear, [
    "message",
    "update_message_flags",
    "starred_messages",
    "recent_private_conversations",
  ]);

  const trioName = [lear.id, cordelia.id, kent.id].sort((a, b) => a - b).join(",");
  expect(state.unread_msgs).toEqual({
    count: 5,
    pms: [{ other_user_id: cordelia.id, sender_id: cordelia.id, unread_message_ids: [pair] }],
    streams: [
      { stream_id: heath.id, topic: "Storm", unread_message_ids: [storm, mention] },
      { stream_id: heath.id, topic: "hut", unread_message_ids: [wildcardMention] },
    ],
    huddles: [{ user_ids_string: trioName, unread_message_ids: [trio] }],
    mentions: expect.arrayContaining([mention]),
    old_unreads_missing: false,
  });
  expect(state.starred_messages).toEqual([storm]);
  expect(state.max_message_id).toBeGreaterThanOrEqual(read);
  expect(state.recent_private_conversations).toEqual([
    { max_message_id: trio, user_ids: [cordelia.id, kent.id].sort((a, b) => a - b) },
    { max_message_id: pair, user_ids: [cordelia.id] },
  ]);
});

test("unread state is omitted without the event type that updates it", async () => {
  expect(await register(lear, ["message"])).not.toHaveProperty("unread_msgs");
});

test("a flags event goes only to the owner, with the details that marking as unread needs", async () => {
  const [inChannel, direct] = [
    await send(kent, onHeath("fool")),
    await send(kent, { type: "direct", to: [cordelia.id] }),
  ];
  const [cordeliasQueue, kentsQueue] = [
    await register(cordelia, ["update_message_flags"]),
    await register(kent, ["update_message_flags"]),
  ];
  const change = (op: string, flag: string) =>
    cordelia.call("POST", "/messages/flags", { messages: [inChannel, direct], op, flag });

  await change("add", "read");
  await change("add", "starred");
  await change("remove", "read");
  await cordelia.do("POST", "/mark_all_as_read");

  const event = { type: "update_message_flags", all: false, messages: [inChannel, direct] };
  expect(await eventsOf(cordelia, cordeliasQueue)).toEqual([
    { ...event, op: "add", operation: "add", flag: "read" },
    { ...event, op: "add", operation: "add", flag: "starred" },
    {
      ...event,
      op: "remove",
      operation: "remove",
      flag: "read",
      message_details: {
        [inChannel]: { type: "stream", stream_id: heath.id, topic: "fool", unmuted_stream_msg: true },
        [direct]: { type: "private", user_ids: [kent.id] },
      },
    },
    { ...event, op: "add", operation: "add", flag: "read", messages: [], all: true },
  ]);
  expect(await eventsOf(kent, kentsQueue)).toEqual([]);
});

test("a flags update without a change has no event", async () => {
  const id = await send(kent, onHeath("fool"));
  await cordelia.do("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });
  const queue = await register(cordelia, ["update_message_flags"]);

  await cordelia.do("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });

  expect(await eventsOf(cordelia, queue)).toEqual([]);
});
