import { beforeAll, describe, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aBot } from "../support/people.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let prospero: Person;
let admin: Person;
let stranger: Person;
beforeAll(async () => {
  [prospero, admin, stranger] = await Promise.all([
    aPerson("Prospero"),
    aPerson("Alonso", { role: "administrator" }),
    aPerson("Sebastian"),
  ]);
});

describe("changing a bot", () => {
  test("its owner can change every field", async () => {
    const [island, { body: bot }] = [
      await aChannel("island", [prospero]),
      await prospero.call("POST", "/bots", {
        full_name: "Ariel",
        short_name: `ariel${Date.now()}`,
        bot_type: 3,
        payload_url: "https://a.test/",
      }),
    ];

    const { body } = await prospero.call("PATCH", `/bots/${bot.user_id}`, {
      full_name: "Caliban",
      service_payload_url: '"https://b.test/"',
      service_interface: 2,
      config_data: { a: "b" },
      default_sending_stream: island.name,
      default_events_register_stream: "",
      default_all_public_streams: true,
    });

    expect(body).toEqual({
      result: "success",
      msg: "",
      full_name: "Caliban",
      avatar_url: expect.any(String),
      service_interface: 2,
      service_payload_url: "https://b.test/",
      config_data: { a: "b" },
      default_sending_stream: island.name,
      default_events_register_stream: null,
      default_all_public_streams: true,
      bot_owner: prospero.email,
    });
    expect((await stranger.call("GET", `/users/${bot.user_id}`)).body.user.full_name).toBe("Caliban");
  });

  test("of entries of its configuration that are changed at once, none is lost", async () => {
    const robot = await aBot(prospero);
    const entries = ["a", "b", "c", "d"].map((name) => ({ [name]: "x" }));

    await Promise.all(entries.map((entry) => prospero.do("PATCH", `/bots/${robot.id}`, { config_data: entry })));

    const { body } = await prospero.call("PATCH", `/bots/${robot.id}`, { config_data: { e: "x" } });
    expect(body.config_data).toEqual({ a: "x", b: "x", c: "x", d: "x", e: "x" });
  });

  test("an administrator can change its owner: the new owner's event has the whole bot, the former one's deletes it", async () => {
    const robot = await aBot(prospero);
    const [toStranger, toProspero, toAdmin] = await Promise.all(
      [stranger, prospero, admin].map((person) => listen(person, { event_types: ["realm_bot"] })),
    );
    const nextEvent = async (listener: typeof toAdmin) => {
      let event = await listener?.next("realm_bot");
      while (event?.bot.user_id !== robot.id) event = await listener?.next("realm_bot");
      return event;
    };

    const { body } = await admin.call("PATCH", `/bots/${robot.id}`, { bot_owner_id: stranger.id });

    expect(body.bot_owner).toBe(stranger.email);
    const { id: _, ...formerOwnersEvent } = await nextEvent(toProspero);
    expect(formerOwnersEvent).toEqual({ type: "realm_bot", op: "delete", bot: { user_id: robot.id } });
    expect(await nextEvent(toStranger)).toMatchObject({
      op: "add",
      bot: { user_id: robot.id, owner_id: stranger.id, api_key: robot.apiKey, full_name: "Robot" },
    });
    expect(await nextEvent(toAdmin)).toMatchObject({ op: "update", bot: { user_id: robot.id, owner_id: stranger.id } });
    expect((await prospero.call("GET", `/users/${robot.id}`)).body.user.bot_owner_id).toBe(stranger.id);
    expect((await prospero.call("PATCH", `/bots/${robot.id}`, {})).status).toBe(400);
  });

  test.each([
    ["an owner who does not exist", { bot_owner_id: 99_999_999 }, "No such user"],
    ["a name that is too long", { full_name: "x".repeat(101) }, "Name too long!"],
    [
      "a payload URL for a bot that is not an outgoing webhook",
      { service_payload_url: "https://b.test" },
      "The bot is not an outgoing webhook.",
    ],
  ])("%s is refused", async (_, changes, msg) => {
    const robot = await aBot(prospero);

    expect(await prospero.call("PATCH", `/bots/${robot.id}`, changes)).toMatchObject({ status: 400, body: { msg } });
  });
});
