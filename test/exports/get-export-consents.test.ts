import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aBot, anAddress } from "../support/people.ts";
import { aPerson, type Person } from "../support/world.ts";

const anAdministrator = () => aPerson("Duke", { role: "administrator" });
const consentsFor = async (administrator: Person): Promise<any[]> =>
  (await administrator.call("GET", "/export/realm/consents")).body.export_consents;
const consentEvents = async (end: number, userId: number) =>
  (await eventsAfter(end, "realm_export_consent", ({ user_id }) => user_id === userId)).map(({ audience, event }) => [
    audience.kind,
    event.consented,
  ]);

test("a new user has not consented, and administrators get an event", async () => {
  const duke = await anAdministrator();
  const end = await logEnd();

  const { body } = await duke.call("POST", "/users", {
    email: anAddress("silvius"),
    full_name: "Silvius",
    password: "loves Phebe, and says so",
  });

  expect(await consentEvents(end, body.user_id)).toEqual([["administrators", false]]);
  expect(await consentsFor(duke)).toContainEqual({ user_id: body.user_id, consented: false });
});

test("a deactivated user is not listed; a reactivated one keeps their consent, with an event for administrators", async () => {
  const [duke, celia] = [await anAdministrator(), await aPerson("Celia")];
  await celia.do("PATCH", "/settings", { allow_private_data_export: true });

  await duke.do("DELETE", `/users/${celia.id}`);
  const whileDeactivated = await consentsFor(duke);
  const end = await logEnd();
  await duke.do("POST", `/users/${celia.id}/reactivate`);

  expect(whileDeactivated.filter(({ user_id }) => user_id === celia.id)).toEqual([]);
  expect(await consentEvents(end, celia.id)).toEqual([["administrators", true]]);
  expect(await consentsFor(duke)).toContainEqual({ user_id: celia.id, consented: true });
});

test("a bot is not listed and causes no event about consent", async () => {
  const duke = await anAdministrator();
  const end = await logEnd();

  const robot = await aBot(duke);

  expect(await consentEvents(end, robot.id)).toEqual([]);
  expect((await consentsFor(duke)).filter(({ user_id }) => user_id === robot.id)).toEqual([]);
});
