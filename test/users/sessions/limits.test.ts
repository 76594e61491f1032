import { describe, expect, test } from "vitest";
import { regenerateKey } from "../../../shared/features/users/key-actions.ts";
import { hashApiKey } from "../../../shared/services/identity/api-keys.ts";
import { findSession } from "../../../shared/services/identity/sessions.ts";
import { bumpKeysVersion } from "../../../shared/store/organization/organization.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../../shared/store/users/accounts.ts";
import { knownConnection, signedInCredentials } from "../../support/accounts.ts";
import { upload } from "../../support/files.ts";
import { send } from "../../support/http.ts";
import { sendDirect } from "../../support/messages.ts";
import { withSettings } from "../../support/organization.ts";
import { aSubject, signInAs } from "../../support/outside/identity-providers.ts";
import { aBot } from "../../support/people.ts";
import { aPerson, call, type Person, personWithKey, reportsCosts } from "../../support/world.ts";

/** Sessions end after the age or the idleness that the organization sets; API keys do not. */

const hour = 3600;
const limited = <T>(act: () => Promise<T>) => withSettings({ session_age_limit_seconds: hour }, act);
const inSession = (person: Person, apiKey: string) => ({ credentials: { email: person.email, apiKey } });
const statusOf = async (person: Person, apiKey: string) =>
  (await call("GET", "/users/me", {}, inSession(person, apiKey))).status;

const limitReached = "Your organization limits how long people stay signed in: sign in again";

/** What the page does when it starts with an API key. */
const startedBy = (person: Person) => limited(() => person.call("POST", "/users/me/file_session"));
const sessionOf = async (person: Person): Promise<string> => (await startedBy(person)).body.session_key;

/** Lets the account's sessions end earlier, as if they had been started longer ago. */
async function letSessionsEnd({ email }: Person, { inSeconds = 0 } = {}): Promise<void> {
  const { sessions = new Set<string>() } = (await findAccount(email)) ?? {};
  const endsAt = Math.floor(Date.now() / 1000) + inSeconds;
  const ended = [...sessions].map((session) => `${endsAt} ${session.split(" ")[1]}`);
  await transact([updateAccount(email, { set: { sessions: new Set(ended) } })]);
}

describe("session_age_limit_seconds", () => {
  test("session_age_limit_seconds: how long a browser stays signed in, while the API key goes on", async () => {
    const ariel = await aPerson("Ariel");
    const path = await upload(ariel);
    const before = Math.floor(Date.now() / 1000);

    const { body, headers } = await startedBy(ariel);

    const key = body.session_key;
    expect(body).toEqual({ ...body, session_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/) });
    expect(body.session_ends_at - before).toBeGreaterThanOrEqual(hour);
    expect(body.session_ends_at - before).toBeLessThan(hour + 300);
    const [cookie = ""] = [headers["set-cookie"]].flat();
    expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1])).toBeLessThanOrEqual(hour);
    const files = await send("GET", path, undefined, { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect([files.status, await statusOf(ariel, key)]).toEqual([200, 200]);
    const again = await limited(() => call("POST", "/users/me/file_session", {}, inSession(ariel, key)));
    expect(again.body).toEqual({ result: "success", msg: "", session_ends_at: body.session_ends_at });

    await letSessionsEnd(ariel);

    const refused = await call("GET", "/users/me", {}, inSession(ariel, key));
    expect(refused).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED", msg: limitReached } });
    expect(await statusOf(ariel, ariel.apiKey)).toBe(200);
  });

  test("a session that ends while it asks for a new API key gets none, and stays ended", async () => {
    const ariel = await aPerson("Ariel");
    const key = await sessionOf(ariel);
    const keptSession = findSession((await findAccount(ariel.email)) ?? {}, hashApiKey(key));
    await letSessionsEnd(ariel);

    await expect(regenerateKey(ariel.email, ariel.id, { keptSession })).rejects.toThrow("changed by another request");

    expect([await statusOf(ariel, key), await statusOf(ariel, ariel.apiKey)]).toEqual([401, 200]);
  });

  test("is for owners, is at least an hour, and concerns no bots", async () => {
    const [owner, admin] = [
      await aPerson("Owner", { role: "owner" }),
      await aPerson("Admin", { role: "administrator" }),
    ];
    const set = (who: Person, value: unknown) => who.call("PATCH", "/realm", { session_age_limit_seconds: value });
    const robot = await aBot(owner);

    expect((await set(admin, hour)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
    const setIdle = (who: Person, value: unknown) => who.call("PATCH", "/realm", { session_idle_limit_seconds: value });
    expect((await setIdle(admin, hour)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
    for (const value of [0, -1, 1, hour - 1, 367 * 24 * hour, Number.MAX_SAFE_INTEGER, "never"])
      expect([(await set(owner, value)).status, (await setIdle(owner, value)).status]).toEqual([400, 400]);
    expect((await startedBy(robot)).body).toEqual({ result: "success", msg: "" });
    const { body } = await owner.call("POST", "/users/me/file_session");
    expect(body).toEqual({ result: "success", msg: "", session_key: expect.any(String) });
  });
});

describe("session_idle_limit_seconds", () => {
  const idleLimited = <T>(act: () => Promise<T>) => withSettings({ session_idle_limit_seconds: 2 * hour }, act);
  const status = { status_text: "in a cloven pine" };

  /** Makes it seem that the account's sessions were last used so many hours ago. */
  async function letBeUnused({ email }: Person, hours: number): Promise<void> {
    const { sessionUses = new Set<string>() } = (await findAccount(email)) ?? {};
    const then = Math.floor(Date.now() / 1000 / hour) - hours;
    const uses = [...sessionUses].map((use) => `${use.split(" ")[0]} ${then}`);
    await transact([updateAccount(email, { set: { sessionUses: new Set(uses) } })]);
  }

  test("session_idle_limit_seconds: a device that is not used for so long, and up to an hour more, is signed out, with its files", async () => {
    const ariel = await aPerson("Ariel");
    const path = await upload(ariel);
    const started = await idleLimited(() => ariel.call("POST", "/users/me/file_session"));
    const key = started.body.session_key;
    const cookie = String([started.headers["set-cookie"]].flat()[0]).split(";")[0] ?? "";
    const file = async () => (await send("GET", path, undefined, { headers: { cookie } })).status;

    await letBeUnused(ariel, 2);
    expect([await statusOf(ariel, key), await file()]).toEqual([200, 200]);
    const [{ ends_at: endsAt }] = (await ariel.do("GET", "/users/me/devices")).devices;
    await letBeUnused(ariel, 3);

    expect(endsAt - Date.now() / 1000).toBeLessThanOrEqual(hour);
    const refused = await call("POST", "/users/me/status", status, inSession(ariel, key));
    expect(refused).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED", msg: limitReached } });
    expect([await file(), await statusOf(ariel, ariel.apiKey)]).toEqual([401, 200]);
    expect((await ariel.do("GET", "/users/me/devices")).devices).toEqual([]);
  });

  test("a device that is used stays signed in, and its uses cost no more than those of other devices", async () => {
    const ariel = await aPerson("Ariel");
    const { session_key: key } = await idleLimited(() => ariel.do("POST", "/users/me/file_session"));
    const use = () => call("POST", "/users/me/status", status, inSession(ariel, key));
    await letBeUnused(ariel, 2);

    const [first, second] = [await use(), await use()];

    expect([first.status, second.status]).toEqual([200, 200]);
    const [{ ends_at: endsAt }] = (await ariel.do("GET", "/users/me/devices")).devices;
    expect(endsAt - Date.now() / 1000).toBeGreaterThan(2 * hour - 60);
    if (reportsCosts()) expect(second.cost).toEqual((await ariel.call("POST", "/users/me/status", status)).cost);
  });

  test("a device that signed in before is limited from the next start of its page on, and none is limited less", async () => {
    const ariel = await aPerson("Ariel");
    const { session_key: key } = await ariel.do("POST", "/users/me/file_session");
    const startPage = () => call("POST", "/users/me/file_session", {}, inSession(ariel, key));
    await letBeUnused(ariel, 1000);
    expect(await statusOf(ariel, key)).toBe(200);

    await idleLimited(startPage);
    expect(await statusOf(ariel, key)).toBe(200);
    await startPage();
    await letBeUnused(ariel, 3);

    expect(await statusOf(ariel, key)).toBe(401);
  });

  test("ends a connection that nobody uses, and none whose session was used after it was opened", async () => {
    const [unused, used, sender] = [await aPerson("Ariel"), await aPerson("Ariel"), await aPerson("Prospero")];
    /** A connection of a session that will soon have been unused for long enough. */
    const connected = async (person: Person) => {
      const { session_key: key } = await person.do("POST", "/users/me/file_session");
      const connection = await knownConnection(personWithKey(person.id, person.email, person.name, key));
      const { sessions = new Set<string>() } = (await findAccount(person.email)) ?? {};
      const then = Math.floor(Date.now() / 1000 / hour) - 10;
      const seconds = Math.floor(Date.now() / 1000) + 10 - (then + 1) * hour;
      const stored = new Set([...sessions].map((text) => `${text} ${seconds}`));
      await transact([updateAccount(person.email, { set: { sessions: stored } }), bumpKeysVersion()]);
      await letBeUnused(person, 10);
      return { key, ...connection };
    };
    const [first, second] = [await connected(unused), await connected(used)];
    const contents = () => second.connection.events.map(({ message }) => message.content);
    await sendDirect(sender, [used], "read again");
    await expect.poll(contents).toContain("read again");

    // Nothing tells who posts to the connection that it is used.
    await call("POST", "/users/me/status", status, inSession(used, second.key));
    await expect.poll(() => statusOf(unused, first.key), { timeout: 20_000 }).toBe(401);
    expect(await statusOf(used, second.key)).toBe(200);

    await first.expectEnd();
    await sendDirect(sender, [used], "still here");
    await expect.poll(contents).toContain("still here");
  });

  test("a program that signs in again gets another key if the limit has changed", async () => {
    const ariel = await aPerson("Ariel", { password: "full-fathom-five-thy-father" });
    const signIn = async () =>
      (await call("POST", "/fetch_api_key", { username: ariel.email, password: "full-fathom-five-thy-father" })).body
        .api_key;

    const [before, during, again] = [await signIn(), await idleLimited(signIn), await idleLimited(signIn)];

    expect([during === before, again === during]).toEqual([false, true]);
  });
});

describe("a session ends", () => {
  test("when its browser signs out, and no other with it", async () => {
    const ariel = await aPerson("Ariel");
    const [one, other] = [await sessionOf(ariel), await sessionOf(ariel)];
    const { expectEnd } = await knownConnection(personWithKey(ariel.id, ariel.email, ariel.name, one));

    await call("DELETE", "/users/me/file_session", {}, inSession(ariel, one));

    expect([await statusOf(ariel, one), await statusOf(ariel, other), await statusOf(ariel, ariel.apiKey)]).toEqual([
      ...[401, 200, 200],
    ]);
    await expectEnd();
  });

  test("when its owner creates a new API key elsewhere", async () => {
    const ariel = await aPerson("Ariel");
    const [one, other] = [await sessionOf(ariel), await sessionOf(ariel)];

    const { api_key } = (await call("POST", "/users/me/api_key/regenerate", {}, inSession(ariel, one))).body;

    expect([await statusOf(ariel, one), await statusOf(ariel, other), await statusOf(ariel, ariel.apiKey)]).toEqual([
      ...[200, 401, 401],
    ]);
    expect(await statusOf(ariel, api_key)).toBe(200);
    await call("POST", "/users/me/api_key/regenerate", {}, inSession(ariel, api_key));
    expect(await statusOf(ariel, one)).toBe(401);
  });

  test("when its owner is deactivated, or starts more than twenty after it, of which none is lost", async () => {
    const [owner, ariel] = [await aPerson("Owner", { role: "owner" }), await aPerson("Ariel")];
    const first = await sessionOf(ariel);
    // The first is the first to end.
    const { sessions = new Set<string>() } = (await findAccount(ariel.email)) ?? {};
    const [stored = ""] = sessions;
    const sooner = new Set([`${Number(stored.split(" ")[0]) - 60} ${stored.split(" ")[1]}`]);
    await transact([updateAccount(ariel.email, { set: { sessions: sooner } })]);
    expect(await statusOf(ariel, first)).toBe(200);

    const keys: string[] = [];
    await limited(async () => {
      while (keys.length < 20) {
        const started = await Promise.all(
          [1, 2, 3, 4].map(async () => (await ariel.do("POST", "/users/me/file_session")).session_key),
        );
        keys.push(...started);
      }
    });

    expect(await statusOf(ariel, first)).toBe(401);
    const statuses = await Promise.all(keys.map((key) => statusOf(ariel, key)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await owner.do("DELETE", `/users/${ariel.id}`);
    expect(await statusOf(ariel, keys[0] ?? "")).toBe(401);
    await owner.do("POST", `/users/${ariel.id}/reactivate`);
    expect([await statusOf(ariel, keys[0] ?? ""), await statusOf(ariel, ariel.apiKey)]).toEqual([401, 200]);
  });

  test("and nothing is sent to a connection that was opened in it", async () => {
    const ariel = await aPerson("Ariel");
    const key = await sessionOf(ariel);
    await letSessionsEnd(ariel, { inSeconds: 8 });
    const { expectEnd } = await knownConnection(personWithKey(ariel.id, ariel.email, ariel.name, key));

    await expect.poll(() => statusOf(ariel, key)).toBe(401);

    await expectEnd();
  });

  test("at the same time for a changed address", async () => {
    const [owner, ariel] = [await aPerson("Owner", { role: "owner" }), await aPerson("Ariel")];
    const key = await sessionOf(ariel);
    const email = `moved-${ariel.email}`;

    await owner.do("PATCH", `/users/${ariel.id}`, { new_email: email });

    expect((await call("GET", "/users/me", {}, { credentials: { email, apiKey: key } })).status).toBe(200);
    await letSessionsEnd({ ...ariel, email });
    expect((await call("GET", "/users/me", {}, { credentials: { email, apiKey: key } })).status).toBe(401);
  });
});

test("somebody who signs in by a provider gets the key of a session, which is not the API key", async () => {
  const [ariel, sub] = [await aPerson("Ariel"), aSubject()];
  const claims = { sub, email: ariel.email, email_verified: true };

  const { apiKey } = await limited(async () => signedInCredentials(await signInAs("forge", claims)));

  expect(apiKey).not.toBe(ariel.apiKey);
  expect(await statusOf(ariel, apiKey)).toBe(200);
  await letSessionsEnd(ariel);
  expect([await statusOf(ariel, apiKey), await statusOf(ariel, ariel.apiKey)]).toEqual([401, 200]);
});
