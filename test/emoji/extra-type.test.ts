import { beforeAll, expect, test } from "vitest";
import { fetchMessage, sendDirect } from "../support/messages.ts";
import { aPerson, type Person } from "../support/world.ts";

/** Clients whose User-Agent begins with "Zulip" only know the legacy spelling of the extra emoji's type. */

let [oberon, puck]: Person[] = [];
beforeAll(async () => {
  [oberon, puck] = await Promise.all([aPerson("Oberon"), aPerson("Puck")]);
});
const zulipEmoji = { emoji_name: "zulip", emoji_code: "zulip" };
const clients = [
  ["ZulipMobile/30.0", "zulip_extra_emoji"],
  ["zulip-terminal/0.7", "zulip_extra_emoji"],
  ["ZULIP", "zulip_extra_emoji"],
  ["curl/8.0", "service_extra_emoji"],
  ["NotZulip/1.0", "service_extra_emoji"],
] as const;

/** A user with another client program. */
const withClient = (person: Person, client: string): Person => ({
  ...person,
  call: (method, path, params, options) => person.call(method, path, params, { client, ...options }),
});

test.each(["zulip_extra_emoji", "service_extra_emoji"])(
  "a reaction sent as %s is sent to each client in the form that it supports",
  async (sentType) => {
    const id = await sendDirect(oberon as Person, [puck as Person], `see "reaction_type":"service_extra_emoji"`);

    const added = await puck?.call("POST", `/messages/${id}/reactions`, { ...zulipEmoji, reaction_type: sentType });

    expect(added?.status).toBe(200);
    for (const [client, type] of clients) {
      const message = await fetchMessage(withClient(oberon as Person, client), id);
      expect([client, message.reactions]).toEqual([
        client,
        [{ ...zulipEmoji, reaction_type: type, user_id: puck?.id }],
      ]);
      expect(message.content).toBe(`see "reaction_type":"service_extra_emoji"`);
    }
    const removed = await puck?.call("DELETE", `/messages/${id}/reactions`, { ...zulipEmoji, reaction_type: sentType });
    expect(removed?.status).toBe(200);
  },
);

test("an extra emoji's type is sent in the form that each client supports, also at registration", async () => {
  const titania = await aPerson("Titania");

  await titania.do("POST", "/users/me/status", zulipEmoji);

  for (const [client, type] of clients) {
    const personWithClient = withClient(oberon as Person, client);
    const { status } = (await personWithClient.call("GET", `/users/${titania.id}/status`)).body;
    const { user_status } = (await personWithClient.call("POST", "/register", { event_types: ["user_status"] })).body;
    expect([client, status, user_status[titania.id]]).toEqual([
      client,
      { ...zulipEmoji, reaction_type: type },
      { ...zulipEmoji, reaction_type: type },
    ]);
  }
});

test("events use the form of the client that registered the queue, whichever client polls", async () => {
  const event_types = ["reaction", "user_status"];
  const register = async (client: string) =>
    (await withClient(oberon as Person, client).call("POST", "/register", { event_types })).body.queue_id;
  const [legacyQueueId, currentQueueId] = [await register("ZulipMobile/30.0"), await register("curl/8.0")];
  const id = await sendDirect(oberon as Person, [puck as Person]);

  await puck?.do("POST", `/messages/${id}/reactions`, zulipEmoji);
  await puck?.do("POST", "/users/me/status", zulipEmoji);

  for (const [queue_id, type] of [
    [legacyQueueId, "zulip_extra_emoji"],
    [currentQueueId, "service_extra_emoji"],
  ]) {
    const { events } = (
      await (oberon as Person).call("GET", "/events", { queue_id, last_event_id: -1, dont_block: true })
    ).body;
    const pucksEvents = events.filter((event: any) => event.user_id === puck?.id);
    expect(pucksEvents.map((event: any) => [event.type, event.reaction_type])).toEqual([
      ["reaction", type],
      ["user_status", type],
    ]);
  }
});
