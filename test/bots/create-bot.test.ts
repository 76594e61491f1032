import { beforeAll, describe, expect, test } from "vitest";
import { checkBotAddressFree } from "../../shared/features/bots/access.ts";
import { addBot } from "../../shared/features/bots/actions.ts";
import { newBot } from "../../shared/features/bots/defaults.ts";
import { botAddress } from "../../shared/features/bots/rules.ts";
import { authenticateCredentials } from "../../shared/services/identity/access.ts";
import { botDomain } from "../../shared/services/identity/bot-domains.ts";
import { findBot } from "../../shared/store/users/bots.ts";
import { listen } from "../support/listener.ts";
import { aBot } from "../support/people.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

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

let count = 0;
const aShortName = () => `ariel${Date.now()}x${count++}`;
const create = (changes: Record<string, unknown> = {}, creator = prospero) =>
  creator.call("POST", "/bots", { full_name: "Ariel", short_name: aShortName(), ...changes });

describe("a new bot", () => {
  test("belongs to its creator, and its key works immediately", async () => {
    const short_name = aShortName();

    const { body } = await create({ short_name });

    expect(body).toEqual({
      result: "success",
      msg: "",
      user_id: expect.any(Number),
      api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
      avatar_url: expect.stringContaining("gravatar.com"),
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
    });
    const email = `${short_name}-bot@skein.invalid`;
    const ownProfile = await call("GET", "/users/me", {}, { credentials: { email, apiKey: body.api_key } });
    expect(ownProfile.body).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: prospero.id, email });
  });

  test("signs in at the server's domain and at the placeholder domain, whichever its address has", async () => {
    const server = "https://chat.globe.test:9443";
    for (const [domain, other] of [
      ["chat.globe.test", "skein.invalid"],
      ["skein.invalid", "CHAT.globe.test"],
    ] as const) {
      const email = botAddress(aShortName(), domain);
      const record = (id: number) => newBot(id, prospero.id, "ariel", {});
      const { user, apiKey } = await addBot({ email, fullName: "Ariel", type: 1, ownerId: prospero.id, record });
      const at = (host: string) => ({ email: email.replace(/@.*/, `@${host}`), apiKey });

      for (const host of [domain, other])
        expect(await authenticateCredentials(at(host), server)).toMatchObject({ id: user.id, email });
      await expect(authenticateCredentials(at("globe.test"), server)).rejects.toMatchObject({ code: "UNAUTHORIZED" });
      await expect(checkBotAddressFree(at(other).email.toLowerCase(), server)).rejects.toThrow(/already in use/);
    }
  });

  test.each([
    ["https://chat.globe.test", "chat.globe.test"],
    ["https://xn--bcher-kva.example/", "xn--bcher-kva.example"],
    ["http://127.0.0.1:9991", "skein.invalid"],
    ["http://[::1]:9991", "skein.invalid"],
    ["http://localhost:9991", "skein.invalid"],
    ["http://loom.localhost", "skein.invalid"],
    ["http://a_b.example", "skein.invalid"],
    ["https://a b", "skein.invalid"],
    ["", "skein.invalid"],
  ])("at %s has an address at %s", (url, domain) => expect(botDomain(url)).toBe(domain));

  test("can have default channels for sending and for events", async () => {
    const island = await aChannel("island", [prospero]);

    const { body } = await create({
      default_sending_stream: island.name,
      default_events_register_stream: island.name,
      default_all_public_streams: true,
    });

    expect(body).toMatchObject({
      default_sending_stream: island.name,
      default_events_register_stream: island.name,
      default_all_public_streams: true,
    });
  });

  test("of type outgoing webhook has a URL and a token", async () => {
    const { body } = await create({
      bot_type: 3,
      payload_url: '"https://hooks.globe.test/in"',
      interface_type: 2,
      service_name: "hooks",
      config_data: { colour: "blue", constructor: "Ariel" },
    });

    expect(await findBot(body.user_id)).toMatchObject({
      services: [
        {
          name: "hooks",
          baseUrl: "https://hooks.globe.test/in",
          interface: 2,
          token: expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      ],
      configData: { colour: "blue", constructor: "Ariel" },
    });
  });

  test("is sent to everyone as a user, and with its key only to its owner and administrators", async () => {
    const listeners = await Promise.all(
      [prospero, admin, stranger].map((person) => listen(person, { event_types: ["realm_bot", "realm_user"] })),
    );

    const { user_id, api_key } = (await create()).body;

    for (const listener of listeners.slice(0, 2)) {
      let event = await listener.next("realm_bot");
      while (event.bot.user_id !== user_id) event = await listener.next("realm_bot");
      expect(event).toMatchObject({
        op: "add",
        bot: { api_key, full_name: "Ariel", owner_id: prospero.id, services: [] },
      });
    }
    const [, , strangersListener] = listeners;
    let added = await strangersListener!.next("realm_user");
    while (added.person.user_id !== user_id) added = await strangersListener!.next("realm_user");
    await strangersListener!.poll();
    expect(strangersListener!.received.filter(({ type }) => type === "realm_bot")).toEqual([]);
  });

  test.each([
    ["no name", { full_name: undefined }, "Missing 'full_name' argument"],
    ["no short name", { short_name: undefined }, "Missing 'short_name' argument"],
    ["an empty short name", { short_name: " " }, "Bad name or username"],
    ["a short name that cannot be part of an address", { short_name: "a b" }, "Bad name or username"],
    ["an unknown type", { bot_type: 9 }, "Invalid bot_type"],
    ["an embedded type", { bot_type: 4 }, "Embedded bots are not enabled."],
    ["an outgoing webhook without a URL", { bot_type: 3 }, "Missing 'payload_url' argument"],
    [
      "a payload URL that is not one of HTTP",
      { bot_type: 3, payload_url: "file:///etc/passwd" },
      "payload_url is not a URL",
    ],
    [
      "an unknown interface",
      { bot_type: 3, payload_url: "https://a.test", interface_type: 7 },
      "Invalid interface_type",
    ],
    ["an unknown default channel", { default_sending_stream: "no such isle" }, "Invalid channel name 'no such isle'"],
  ])("with %s is refused", async (_, changes, msg) => {
    expect(await create(changes)).toMatchObject({ status: 400, body: { msg } });
  });

  test("cannot take another user's address or have a default channel that its owner cannot see", async () => {
    const [short_name, vault] = [aShortName(), await aChannel("vault", [admin], { inviteOnly: true })];
    await create({ short_name });

    expect(await create({ short_name: short_name.toUpperCase() })).toMatchObject({
      body: { code: "BAD_REQUEST", msg: expect.stringMatching(/^Email '.*' already in use$/) },
    });
    expect(await create({ default_sending_stream: vault.name })).toMatchObject({
      body: { msg: `Invalid channel name '${vault.name}'` },
    });
  });

  test("cannot be created by guests or bots", async () => {
    const [guest, robot] = [await aPerson("Trinculo", { role: "guest" }), await aBot(prospero)];

    expect(await create({}, guest)).toMatchObject({ status: 400, body: { msg: "Insufficient permission" } });
    expect(await create({}, robot)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });
});
