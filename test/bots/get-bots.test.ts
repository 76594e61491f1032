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
  const [kept, gone] = [await aBot(gonzalo), await aBot(gonzalo)];
  await gonzalo.call("DELETE", `/bots/${gone.id}`);

  const { body } = await gonzalo.call("GET", "/bots");

  expect(body.bots).toEqual([
    {
      username: kept.email,
      full_name: "Robot",
      api_key: kept.apiKey,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      avatar_url: expect.stringContaining("gravatar.com"),
    },
  ]);
});

test("registration returns owners' own bots, and all bots to administrators", async () => {
  const robot = await aBot(prospero);
  const botsFor = async (person: Person) =>
    (await person.call("POST", "/register", { fetch_event_types: ["realm_bot"] })).body.realm_bots.find(
      ({ user_id }: any) => user_id === robot.id,
    );

  for (const person of [prospero, admin])
    expect(await botsFor(person)).toMatchObject({ api_key: robot.apiKey, is_active: true, owner_id: prospero.id });
  expect(await botsFor(stranger)).toBeUndefined();
});
