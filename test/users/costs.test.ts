import { beforeAll, expect, test } from "vitest";
import { aChannel, aPerson, comparableCosts, costTests, type Person, partitionEndReadUnits } from "../support/world.ts";

costTests("costs", () => {
  let helena: Person;
  let hermia: Person;
  beforeAll(async () => {
    [helena, hermia] = await Promise.all([aPerson("Helena"), aPerson("Hermia")]);
  });

  test("a request about an unknown user costs two read units and no write", async () => {
    const reply = await helena.call("GET", "/users/99999999/status");

    // One unit for the caller's account, and one for the requested user.
    expect(reply.cost).toEqual({ readUnits: 2, writeUnits: 0, tableCalls: 2, stages: 2 });
  });

  test("a failed authentication costs one read unit and no write", async () => {
    const { cost } = await helena.call(
      "GET",
      "/users/me",
      {},
      { credentials: { email: helena.email, apiKey: hermia.apiKey } },
    );

    expect(cost).toEqual({ readUnits: 1, writeUnits: 0, tableCalls: 1, stages: 1 });
  });

  test("a permission through three levels of groups costs no more reads than a direct one", async () => {
    const create = async (members: number[], subgroups: number[]) => {
      const name = `lovers ${Date.now()} ${subgroups.join()}`;
      const { body } = await helena.call("POST", "/user_groups/create", { name, description: "", members, subgroups });
      return body.group_id as number;
    };
    const flat = await create([hermia.id, helena.id], []);
    const inner = await create([hermia.id], []);
    const middle = await create([helena.id], [inner]);
    const outer = await create([helena.id], [middle]);
    const send = async (can_send_message_group: number) => {
      const wood = await aChannel("wood", [hermia], { permissions: { can_send_message_group } });
      const say = () =>
        hermia.call("POST", "/messages", { type: "channel", to: wood.id, topic: "love", content: "Ay me" });
      expect((await say()).status).toBe(200);
      return (await say()).cost;
    };

    const [direct, nested] = await comparableCosts(async () => [await send(flat), await send(outer)]);

    expect(nested).toEqual(direct);
  });

  test("changing a status or a setting costs at most 6 write units, a name 12, and each at most 5 read units", async () => {
    const admin = await aPerson("Theseus", { role: "administrator" });

    const status = await helena.call("POST", "/users/me/status", { status_text: "lost" });
    const setting = await helena.call("PATCH", "/settings", { enter_sends: true });
    const name = await admin.call("PATCH", `/users/${hermia.id}`, { full_name: "Hermia of Athens" });

    for (const { cost } of [status, setting]) expect(cost.writeUnits).toBeLessThanOrEqual(6);
    expect(name.cost.writeUnits).toBeLessThanOrEqual(12);
    for (const { cost } of [status, setting, name])
      expect(cost.readUnits).toBeLessThanOrEqual(5 + partitionEndReadUnits);
  });
});
