import { afterEach, beforeAll, expect, test } from "vitest";
import { handler as realmPresence } from "../../functions/presence/get-realm-presence.ts";
import { handler as userPresence } from "../../functions/presence/get-user-presence.ts";
import { members } from "../../shared/groups/system.ts";
import { callHere } from "../support/here.ts";
import { withSettings } from "../support/organization.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * What SKEIN_LIMIT_PRESENCE changes, by the functions themselves in this process: the fleet that all cases share goes
 * without it. That a deployed fleet's functions are given it, test/infra/synth-waiting.test.ts shows.
 */

let guest: Person;
let friend: Person;
let stranger: Person;
beforeAll(async () => {
  [guest, friend, stranger] = await Promise.all([
    aPerson("Lucio", { role: "guest" }),
    aPerson("Claudio"),
    aPerson("Varrius"),
  ]);
  await aChannel("street", [guest, friend]);
  for (const person of [friend, stranger]) await person.call("POST", "/users/me/presence", { status: "active" });
});
const before = process.env.SKEIN_LIMIT_PRESENCE;
afterEach(() => {
  if (before === undefined) delete process.env.SKEIN_LIMIT_PRESENCE;
  else process.env.SKEIN_LIMIT_PRESENCE = before;
});

/** Whose presence `reader` is told of: in the list of all, and when asking for each. */
async function toldTo(reader: Person) {
  const { presences } = (await callHere(realmPresence, reader)).body;
  const one = async ({ id }: Person) =>
    (await callHere(userPresence, reader, { path: { user_id_or_email: String(id) } })).status === 200;
  return {
    listed: [friend, stranger].map(({ email }) => email in presences),
    each: [await one(friend), await one(stranger)],
  };
}

test("a guest who may not know everybody is told of the presence of those whom they may know alone", async () => {
  process.env.SKEIN_LIMIT_PRESENCE = "true";

  await withSettings({ can_access_all_users_group: members }, async () => {
    expect(await toldTo(guest)).toEqual({ listed: [true, false], each: [true, false] });
    expect(await toldTo(friend)).toEqual({ listed: [true, true], each: [true, true] });
  });
});

test("without the setting they are told of everybody's", async () => {
  await withSettings({ can_access_all_users_group: members }, async () => {
    expect(await toldTo(guest)).toEqual({ listed: [true, true], each: [true, true] });
  });
});
