import { beforeAll, expect, test } from "vitest";
import { aBot } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

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

test("everyone lists their own active bots, with their keys", async () => {
  const gonzalo = await aPerson("Gonzalo");
  const [activeBot, deactivatedBot] = [await aBot(gonzalo), await aBot(gonzalo)];
  await gonzalo.do("DELETE", `/bots/${deactivatedBot.id}`);

  const { body } = await gonzalo.call("GET", "/bots");

  expect(body.bots).toEqual([
    {
      username: activeBot.email,
      full_name: "Robot",
      api_key: activeBot.apiKey,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      avatar_url: expect.stringContaining("gravatar.com"),
    },
  ]);
});

test("registration returns their own bots to members, and all bots to administrators", async () => {
  const [robot, transferredBot] = [await aBot(prospero), await aBot(prospero)];
  await admin.do("PATCH", `/bots/${transferredBot.id}`, { bot_owner_id: stranger.id });
  const robotFields = { api_key: robot.apiKey, is_active: true, owner_id: prospero.id };
  // A complete snapshot finds the bots in its list of users; one of `realm_bot` alone has no such list and queries the bots.
  for (const params of [{ fetch_event_types: ["realm_bot"] }, {}]) {
    const botsFor = async (person: Person): Promise<any[]> =>
      (await person.call("POST", "/register", params)).body.realm_bots;

    expect(await botsFor(prospero)).toEqual([expect.objectContaining({ ...robotFields, user_id: robot.id })]);
    expect((await botsFor(stranger)).map(({ user_id }) => user_id)).toEqual([transferredBot.id]);
    expect((await botsFor(admin)).find(({ user_id }) => user_id === robot.id)).toMatchObject(robotFields);
  }
  const allBots = async (params = {}) => (await admin.call("POST", "/register", params)).body.realm_bots;
  expect(await allBots()).toEqual(await allBots({ fetch_event_types: ["realm_bot"] }));
});
