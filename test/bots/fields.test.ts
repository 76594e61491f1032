import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The complete record of a bot in registration, in events and as a user. */

let prospero: Person;
let island: { id: number; name: string };
beforeAll(async () => {
  prospero = await aPerson("Prospero");
  island = await aChannel("island", [prospero]);
});

const registeredBot = async (id: number) =>
  (await prospero.call("POST", "/register", { event_types: ["realm_bot"] })).body.realm_bots.find(
    ({ user_id }: { user_id: number }) => user_id === id,
  );

test.each([
  ["generic", { bot_type: 1 }, []],
  ["incoming", { bot_type: 2 }, []],
  [
    "outgoing",
    { bot_type: 3, payload_url: "https://hooks.globe.test/in" },
    [{ base_url: "https://hooks.globe.test/in", token: expect.stringMatching(/^[0-9A-Za-z]{32,}$/), interface: 1 }],
  ],
])("events and registration contain the whole record of a new %s bot", async (_, kind, services) => {
  const listener = await listen(prospero, { event_types: ["realm_bot", "realm_user"] }, ({ bot, person }) =>
    [bot?.full_name, person?.full_name].includes(full_name),
  );
  const short_name = `ariel${randomUUID().slice(0, 18)}`;
  const full_name = `Ariel ${short_name}`;

  const { body } = await prospero.call("POST", "/bots", {
    full_name,
    short_name,
    default_sending_stream: island.name,
    ...kind,
  });

  const email = `${short_name}-bot@skein.invalid`;
  const record = {
    user_id: body.user_id,
    email,
    full_name,
    bot_type: kind.bot_type,
    is_active: true,
    api_key: body.api_key,
    default_sending_stream: island.name,
    default_events_register_stream: null,
    default_all_public_streams: false,
    avatar_url: body.avatar_url,
    owner_id: prospero.id,
    services,
  };
  expect(await registeredBot(body.user_id)).toEqual(record);
  const id = expect.any(Number);
  expect(await listener.next("realm_user")).toEqual({
    type: "realm_user",
    op: "add",
    id,
    person: {
      user_id: body.user_id,
      email,
      delivery_email: email,
      full_name,
      date_joined: expect.any(String),
      is_active: true,
      is_owner: false,
      is_admin: false,
      is_guest: false,
      is_bot: true,
      bot_type: kind.bot_type,
      bot_owner_id: prospero.id,
      role: 400,
      timezone: "",
      avatar_url: null,
      avatar_version: 1,
      presence_enabled: true,
    },
  });
  while (!listener.received.some(({ type }) => type === "realm_bot")) await listener.poll({ dont_block: false });
  expect(listener.received.find(({ type }) => type === "realm_bot")).toEqual({
    type: "realm_bot",
    op: "add",
    id,
    bot: record,
  });
});

test("the event of a change has only the changed fields", async () => {
  const { user_id } = (
    await prospero.call("POST", "/bots", { full_name: "Ariel", short_name: `ariel${randomUUID().slice(0, 18)}` })
  ).body;
  const listener = await listen(prospero, { event_types: ["realm_bot"] }, ({ bot }) => bot.user_id === user_id);
  const before = await registeredBot(user_id);
  const path = `/bots/${user_id}`;
  const changes: [params: object, changedFields: object][] = [
    [{ full_name: "Caliban" }, { full_name: "Caliban" }],
    [{ default_sending_stream: island.name }, { default_sending_stream: island.name }],
    [{ default_events_register_stream: island.name }, { default_events_register_stream: island.name }],
    [{ default_all_public_streams: true }, { default_all_public_streams: true }],
    [{ default_sending_stream: "" }, { default_sending_stream: null }],
  ];

  for (const [params, changedFields] of changes) {
    expect((await prospero.call("PATCH", path, { ...params })).status).toBe(200);
    expect(await listener.next("realm_bot")).toEqual({
      type: "realm_bot",
      op: "update",
      id: expect.any(Number),
      bot: { user_id, ...changedFields },
    });
  }
  expect(await registeredBot(user_id)).toEqual({
    ...before,
    ...Object.assign({}, ...changes.map(([, changedFields]) => changedFields)),
  });
});
