import { describe, expect, test } from "vitest";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Creates a user whose real address only administrators may see; `placeholder` is the address that others see. */
async function aPersonWithHiddenAddress(name: string): Promise<Person & { placeholder: string }> {
  const person = await aPerson(name);
  await person.do("PATCH", "/settings", { email_address_visibility: 3 });
  await person.do("POST", "/users/me/presence", { status: "active", ping_only: true });
  return { ...person, placeholder: `user${person.id}@skein.invalid` };
}

const spellings = ({ placeholder }: { placeholder: string }) => [placeholder, ` ${placeholder.toUpperCase()} `];

const narrowedTo = (reader: Person, operator: string, operand: string) =>
  reader.call("GET", "/messages", { anchor: "newest", num_before: 5, num_after: 0, narrow: [[operator, operand]] });

describe("a user whose address is hidden", () => {
  test("can be messaged at the placeholder address that the API shows", async () => {
    const [viola, orsino] = await Promise.all([aPersonWithHiddenAddress("Viola"), aPerson("Orsino")]);

    for (const address of spellings(viola)) {
      const sent = await orsino.call("POST", "/messages", {
        type: "direct",
        to: [address],
        content: "my fancy's queen",
      });
      expect(sent.status).toBe(200);
      const { message } = (await viola.call("GET", `/messages/${sent.body.id}`)).body;
      const ids = message.display_recipient.map(({ id }: { id: number }) => id);
      // Of two users who are created concurrently, either may have the smaller ID.
      expect(ids).toEqual([viola.id, orsino.id].sort((a, b) => a - b));
    }
  });

  test("is found by narrows with the placeholder address", async () => {
    const [viola, orsino] = await Promise.all([aPersonWithHiddenAddress("Viola"), aPerson("Orsino")]);
    const { id } = (await viola.call("POST", "/messages", { type: "direct", to: [orsino.id], content: "O" })).body;

    for (const operator of ["sender", "dm", "pm-with", "dm-including"])
      for (const address of spellings(viola))
        await eventually(async () => {
          const { status, body } = await narrowedTo(orsino, operator, address);
          expect([operator, address, status]).toEqual([operator, address, 200]);
          return body.messages.length === 1 && body.messages[0].id === id;
        });
  });

  test("can be subscribed and unsubscribed by the placeholder address", async () => {
    const [viola, orsino] = await Promise.all([
      aPersonWithHiddenAddress("Viola"),
      aPerson("Orsino", { role: "administrator" }),
    ]);
    const { name } = await aChannel("Illyria", [orsino]);

    const [address] = spellings(viola);
    const joined = await orsino.call("POST", "/users/me/subscriptions", {
      subscriptions: [{ name }],
      principals: [address],
    });
    expect(joined.body.subscribed).toEqual({ [viola.id]: [name] });
    const left = await orsino.call("DELETE", "/users/me/subscriptions", {
      subscriptions: [name],
      principals: [address],
    });
    expect(left.body.removed).toEqual([name]);
  });

  test("can be addressed by the real address only by users who may see it", async () => {
    const [viola, orsino, steward] = await Promise.all([
      aPersonWithHiddenAddress("Viola"),
      aPerson("Orsino"),
      aPerson("Malvolio", { role: "administrator" }),
    ]);
    const { name } = await aChannel("Illyria", [orsino, steward]);
    const uses = (person: Person) => [
      person.call("POST", "/messages", { type: "direct", to: [viola.email], content: "Who are you?" }),
      narrowedTo(person, "dm", viola.email),
      person.call("POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [viola.email] }),
      person.call("GET", `/users/${viola.email}/presence`),
    ];

    expect((await Promise.all(uses(orsino))).map(({ status, body }) => [status, body.code, body.msg])).toEqual([
      [400, "BAD_REQUEST", `Invalid email '${viola.email}'`],
      [400, "BAD_NARROW", `Invalid narrow operator: unknown user in ${viola.email}`],
      [400, "BAD_REQUEST", "No such user"],
      [400, "BAD_REQUEST", "No such user"],
    ]);
    expect((await Promise.all([...uses(steward), ...uses(viola)])).map(({ status }) => status)).toEqual(
      Array(8).fill(200),
    );
  });

  test("is named by the placeholder address in the error for a message to them after deactivation", async () => {
    const [viola, orsino, steward] = await Promise.all([
      aPersonWithHiddenAddress("Viola"),
      aPerson("Orsino"),
      aPerson("Malvolio", { role: "administrator" }),
    ]);
    await steward.do("DELETE", `/users/${viola.id}`);

    const reply = await orsino.call("POST", "/messages", { type: "direct", to: [viola.id], content: "Viola?" });

    expect(reply.body).toMatchObject({ code: "BAD_REQUEST", msg: `'${viola.placeholder}' is no longer active.` });
  });

  test("is not the recipient of a message to the placeholder address of a nonexistent user", async () => {
    const orsino = await aPerson("Orsino");

    const to = "user999999999@skein.invalid";
    const reply = await orsino.call("POST", "/messages", { type: "direct", to: [to], content: "Who?" });

    expect(reply.body).toMatchObject({ code: "BAD_REQUEST", msg: `Invalid email '${to}'` });
  });
});
