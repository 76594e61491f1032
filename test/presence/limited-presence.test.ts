import { afterEach, beforeAll, expect, test } from "vitest";
import { handler as realmPresence } from "../../functions/presence/get-realm-presence.ts";
import { handler as userPresence } from "../../functions/presence/get-user-presence.ts";
import { members } from "../../shared/base/schema/system-groups.ts";
import { callInProcess } from "../support/hosts/in-process.ts";
import { withSettings } from "../support/organization.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/**
 * The effects of SKEIN_LIMIT_PRESENCE, tested on functions in this process because the shared fleet does not set it.
 * test/infra/synth-waiting.test.ts checks that a deployed fleet's functions get it.
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
  for (const person of [friend, stranger]) await person.do("POST", "/users/me/presence", { status: "active" });
});
const originalSetting = process.env.SKEIN_LIMIT_PRESENCE;
afterEach(() => {
  if (originalSetting === undefined) delete process.env.SKEIN_LIMIT_PRESENCE;
  else process.env.SKEIN_LIMIT_PRESENCE = originalSetting;
});

/** Whose presence `reader` sees of `friend` and `stranger`, in this order: in the list of all users, and by their IDs. */
async function presenceSeenBy(reader: Person) {
  const { presences } = (await callInProcess(realmPresence, reader)).body;
  const isFound = async ({ id }: Person) =>
    (await callInProcess(userPresence, reader, { path: { user_id_or_email: String(id) } })).status === 200;
  return {
    listed: [friend, stranger].map(({ id, email }) =>
      email in presences ? "address" : `user${id}@skein.invalid` in presences ? "placeholder" : "nothing",
    ),
    byId: [await isFound(friend), await isFound(stranger)],
  };
}

test("a limited guest gets the presence only of users that they can see", async () => {
  process.env.SKEIN_LIMIT_PRESENCE = "true";

  await withSettings({ can_access_all_users_group: members }, async () => {
    expect(await presenceSeenBy(guest)).toEqual({ listed: ["address", "nothing"], byId: [true, false] });
    expect(await presenceSeenBy(friend)).toEqual({ listed: ["address", "address"], byId: [true, true] });
  });
});

test("without the setting a limited guest gets everybody's presence, without hidden addresses", async () => {
  await withSettings({ can_access_all_users_group: members }, async () => {
    expect(await presenceSeenBy(guest)).toEqual({ listed: ["address", "placeholder"], byId: [true, false] });
  });
});
