import { beforeAll, expect, test } from "vitest";
import { linkMailedTo, open, signedInCredentials, submit } from "../support/accounts.ts";
import { send } from "../support/http.ts";
import { withSettings } from "../support/organization.ts";
import { scimToken } from "../support/outside/identity-provider-servers.ts";
import { aSubject, beginSignIn, finishSignIn, signInAtAcme } from "../support/outside/identity-providers.ts";
import { scim } from "../support/outside/scim-client.ts";
import { aBot, anAddress } from "../support/people.ts";
import { token, unique } from "../support/unique.ts";
import { aPerson, call, type Person } from "../support/world.ts";

/** People whom the SCIM client of a company creates, changes and deactivates. */

const schema = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchSchemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];

let owner: Person;
beforeAll(async () => {
  owner = await aPerson("Olivia", { role: "owner" });
});

/** What Okta sends to create somebody. */
const anOktaUser = (name: string, fields: Record<string, unknown> = {}) => {
  const userName = anAddress(name.toLowerCase());
  return {
    schemas: [schema],
    userName,
    name: { givenName: name, familyName: "Illyria" },
    emails: [{ primary: true, value: userName, type: "work" }],
    displayName: `${name} Illyria`,
    locale: "en-US",
    externalId: `00u${token()}`,
    groups: [],
    password: "1mz050nq",
    active: true,
    ...fields,
  };
};
const userOf = async (id: string) => (await owner.do("GET", `/users/${id}`)).user;
const patch = (id: string, ...Operations: unknown[]) =>
  scim("PATCH", `/Users/${id}`, { schemas: patchSchemas, Operations });

test("a person who is created has the default channels, and signs in by the identity provider", async () => {
  const feste = anOktaUser("Feste");

  const created = await scim("POST", "/Users", feste);

  const { id } = created.body;
  expect([created.status, created.headers["content-type"]]).toEqual([201, "application/scim+json"]);
  expect(created.headers.location).toBe(created.body.meta.location);
  expect(created.body).toMatchObject({
    schemas: [schema],
    externalId: feste.externalId,
    userName: feste.userName,
    displayName: "Feste Illyria",
    name: { formatted: "Feste Illyria", givenName: "Feste", familyName: "Illyria" },
    emails: [{ value: feste.userName }],
    active: true,
  });
  expect((await scim("GET", `/Users/${id}`)).body).toEqual(created.body);
  expect(await userOf(id)).toMatchObject({ full_name: "Feste Illyria", role: 400, is_active: true });
  const begun = await beginSignIn("acme");
  const signedIn = await finishSignIn(
    begun,
    await signInAtAcme(begun, { sub: aSubject(), email: feste.userName, name: "Feste" }),
  );
  const credentials = signedInCredentials(signedIn);
  const { body } = await send("GET", "/api/v1/users/me/subscriptions", undefined, { credentials });
  const { body: defaults } = await send("GET", "/api/v1/streams?include_default=true", undefined, { credentials });
  const isDefault = new Set(
    defaults.streams.filter((channel: any) => channel.is_default).map((each: any) => each.name),
  );
  expect(new Set(body.subscriptions.map(({ name }: any) => name))).toEqual(isDefault);
});

test.each([
  ["Okta", { op: "replace", value: { active: false } }, { op: "replace", value: { active: true } }],
  ["Entra", { op: "Replace", path: "active", value: "False" }, { op: "Replace", path: "active", value: "True" }],
])(
  "whoever leaves the company by %s is refused at once, their queue ends, and returning restores them",
  async (_, leave, comeBack) => {
    const viola = await aPerson("Viola");
    const { queue_id } = await viola.do("POST", "/register", { event_types: ["realm_user"] });
    const { body: found } = await scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${viola.email}"`)}`);
    const [{ id }] = found.Resources;

    const left = await patch(id, leave);
    const refused = await viola.call("GET", "/users/me");
    const polled = await viola.call("GET", "/events", { queue_id, last_event_id: -1, dont_block: true });

    expect([left.status, left.body.active, (await userOf(id)).is_active]).toEqual([200, false, false]);
    expect([refused.status, refused.body.msg]).toEqual([401, "Account is deactivated"]);
    expect([polled.status, polled.body.msg]).toEqual([401, "Account is deactivated"]);

    const returned = await patch(id, comeBack);

    expect([returned.status, returned.body.active]).toEqual([200, true]);
    expect((await viola.call("GET", "/users/me")).status).toBe(200);
  },
);

test("a change of name and address by Okta's PUT reaches everybody, and the API key stays", async () => {
  const viola = await aPerson("Viola");
  const married = anOktaUser("Viola", { userName: anAddress("orsino"), displayName: "Viola Orsino" });

  const replaced = await scim("PUT", `/Users/${viola.id}`, { ...married, id: String(viola.id) });

  expect(replaced.body).toMatchObject({ userName: married.userName, displayName: "Viola Orsino", active: true });
  expect(await userOf(String(viola.id))).toMatchObject({ full_name: "Viola Orsino" });
  const credentials = { email: married.userName, apiKey: viola.apiKey };
  expect((await send("GET", "/api/v1/users/me", undefined, { credentials })).body.email).toBe(married.userName);
});

test("Entra's operations change parts of a name, and those on what a chat does not keep change nothing", async () => {
  const maria = await aPerson("Maria Rossi");
  const department = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department";

  const { status, body } = await patch(
    String(maria.id),
    { op: "Add", path: "externalId", value: `entra-${maria.id}` },
    { op: "Replace", path: "name.familyName", value: "Belch" },
    { op: "Add", path: department, value: "Kitchen" },
    { op: "Replace", path: 'emails[type eq "work"].value', value: anAddress("other") },
    { op: "Add", value: { "name.formatted": "Maria de Belch", title: "Gentlewoman" } },
  );

  expect([status, body.displayName, body.userName]).toEqual([200, "Maria de Belch", maria.email]);
  expect(
    (await patch(String(maria.id), { op: "Replace", path: "name.givenName", value: "Mary" })).body.displayName,
  ).toBe("Mary Belch");
  const cleared = await patch(String(maria.id), { op: "Remove", path: "externalId" });
  expect([body.externalId, cleared.body.externalId]).toEqual([`entra-${maria.id}`, undefined]);
});

test("whoever is deleted is deactivated and gone for the client, and gets the same account when created again", async () => {
  const toby = anOktaUser("Toby");
  const { id } = (await scim("POST", "/Users", toby)).body;

  const deleted = await scim("DELETE", `/Users/${id}`);

  expect([deleted.status, deleted.bytes.length, (await userOf(id)).is_active]).toEqual([204, 0, false]);
  const replies = [await scim("GET", `/Users/${id}`), await scim("DELETE", `/Users/${id}`)];
  expect(replies.map(({ status, body }) => [status, body.status])).toEqual([404, 404].map((code) => [code, `${code}`]));
  const byAddress = `/Users?filter=${encodeURIComponent(`userName eq "${toby.userName}"`)}`;
  expect((await scim("GET", byAddress)).body).toMatchObject({ totalResults: 0, Resources: [] });
  const { active: _, ...withoutActive } = toby;
  const again = await scim("POST", "/Users", { ...withoutActive, displayName: "Sir Toby" });
  expect([again.status, again.body.id, again.body.displayName]).toEqual([201, id, "Sir Toby"]);
  expect([again.body.active, again.body.externalId]).toEqual([true, toby.externalId]);
  expect(await userOf(id)).toMatchObject({ is_active: true, full_name: "Sir Toby" });
});

test("whoever gets the address of somebody who was deleted gets the account without the former owner's ways in", async () => {
  const password = "a-tun-of-malmsey";
  const former = await aPerson("Fabian", { password });
  const claims = { sub: aSubject(), email: former.email, name: "Fabian" };
  const signIn = async (sub: string) => {
    const begun = await beginSignIn("acme");
    return finishSignIn(begun, await signInAtAcme(begun, { ...claims, sub }));
  };
  const statusBy = async ({ email = former.email, apiKey }: { email?: string; apiKey: string }) =>
    (await send("GET", "/api/v1/users/me", undefined, { credentials: { email, apiKey } })).status;
  const keys = await withSettings({ session_age_limit_seconds: 3600 }, async () => {
    const { body } = await former.call("POST", "/users/me/file_session");
    return [signedInCredentials(await signIn(claims.sub)).apiKey, body.session_key, former.apiKey];
  });
  const statuses = () =>
    Promise.all([
      ...keys.map((apiKey) => statusBy({ apiKey })),
      call("POST", "/fetch_api_key", { username: former.email, password }).then(({ status }) => status),
    ]);
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  const newAddress = anAddress("fabian");
  await former.do("PATCH", "/settings", { email: newAddress });
  const link = await linkMailedTo(newAddress, "Confirm your new email address");
  await scim("DELETE", `/Users/${former.id}`);

  const created = await scim("POST", "/Users", anOktaUser("Fabiana", { userName: former.email }));

  expect([created.status, created.body.id]).toEqual([201, String(former.id)]);
  expect(await statuses()).toEqual([401, 401, 401, 401]);
  expect([(await open(link)).status, (await submit(link, {})).status]).toEqual([404, 404]);
  const successor = signedInCredentials(await signIn(aSubject()));
  expect(await statusBy(successor)).toBe(200);
  const refused = await signIn(claims.sub);
  expect(() => signedInCredentials(refused)).toThrow();
});

test("an address or external ID that somebody has is refused with 409, whatever its case", async () => {
  const [antonio, sebastian] = [anOktaUser("Antonio"), anOktaUser("Sebastian")];
  const { id } = (await scim("POST", "/Users", antonio)).body;
  const sebastians = (await scim("POST", "/Users", sebastian)).body;

  const replies = [
    await scim("POST", "/Users", { ...anOktaUser("Antonia"), userName: antonio.userName.toUpperCase() }),
    await scim("POST", "/Users", { ...anOktaUser("Antonia"), externalId: antonio.externalId }),
    await patch(sebastians.id, { op: "replace", path: "userName", value: antonio.userName }),
    await patch(sebastians.id, { op: "replace", path: "externalId", value: antonio.externalId }),
  ];

  expect(replies.map(({ status, body }) => [status, body.scimType])).toEqual(replies.map(() => [409, "uniqueness"]));
  expect((await scim("GET", `/Users/${id}`)).body.externalId).toBe(antonio.externalId);
  expect((await scim("GET", `/Users/${sebastians.id}`)).body).toEqual(sebastians);
});

test("a filter finds people by address, external ID and parts of names, in pages, without bots", async () => {
  const word = unique("fool").replaceAll(" ", "");
  const fools = [];
  for (const name of ["Ada", "Bea", "Cia"])
    fools.push((await scim("POST", "/Users", anOktaUser(name, { displayName: `${name} ${word}` }))).body);
  const robot = await aBot(owner);
  const find = async (filter: string, rest = "") =>
    (await scim("GET", `/Users?filter=${encodeURIComponent(filter)}${rest}`)).body;
  const namesIn = ({ Resources }: any) => Resources.map(({ displayName }: any) => displayName.split(" ")[0]);

  expect(namesIn(await find(`userName eq "${fools[0].userName.toUpperCase()}"`))).toEqual(["Ada"]);
  expect(namesIn(await find(`emails[type eq "work"].value eq "${fools[1].userName}"`))).toEqual(["Bea"]);
  expect(namesIn(await find(`externalId eq "${fools[2].externalId}" and active eq true`))).toEqual(["Cia"]);
  expect(namesIn(await find(`externalId eq "${fools[2].externalId.toUpperCase()}X"`))).toEqual([]);
  expect(namesIn(await find(`name.familyName eq "${word}" and not (displayName sw "bea")`))).toEqual(["Ada", "Cia"]);
  expect(namesIn(await find(`userName eq "${robot.email}"`))).toEqual([]);
  const page = await find(`displayName co "${word}"`, "&startIndex=2&count=1&attributes=displayName");
  expect(page).toMatchObject({ totalResults: 3, startIndex: 2, itemsPerPage: 1 });
  expect(page.Resources).toEqual([{ schemas: [schema], id: fools[1].id, displayName: `Bea ${word}` }]);
  expect(await find(`displayName co "${word}"`, "&count=0")).toMatchObject({ totalResults: 3, Resources: [] });
});

test("a missing or wrong token, and a person's own key, are refused", async () => {
  const person = await aPerson("Malvolio", { role: "owner" });
  const replies = [
    await send("GET", "/scim/v2/Users", undefined, {}),
    await scim("GET", "/Users", undefined, "wrong"),
    await scim("GET", "/Users", undefined, person.apiKey),
    await send("GET", "/scim/v2/Users", undefined, { credentials: person }),
    await send("DELETE", `/scim/v2/Users/${person.id}`, undefined, { credentials: person }),
  ];

  for (const { status, headers, body } of replies)
    expect([status, headers["www-authenticate"], body.status]).toEqual([401, 'Bearer realm="scim"', "401"]);
});

test("what is not SCIM is refused in SCIM's form, and changes nothing", async () => {
  const viola = await aPerson("Viola");
  const id = String(viola.id);
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  const raw = (body: string) =>
    send("PATCH", `/scim/v2/Users/${id}`, body, {
      headers: { authorization: `Bearer ${scimToken}`, "content-type": "application/json" },
    });
  const before = (await scim("GET", `/Users/${id}`)).body;
  const refused = [
    ...["", "no JSON", "[]", '"text"', deep, "&".repeat(5000)].map(raw),
    ...[{}, { Operations: [] }, { Operations: [{ op: "move" }] }, { Operations: [{ op: "remove" }] }].map((body) =>
      scim("PATCH", `/Users/${id}`, body),
    ),
    patch(id, { op: "replace", path: "active", value: "maybe" }),
    patch(id, { op: "replace", path: "displayName", value: ["a"] }),
    patch(id, { op: "replace", path: "displayName", value: "a\0b" }),
    patch(id, { op: "replace", path: "userName", value: "no address" }),
    patch(id, { op: "remove", path: "userName" }),
    patch(id, { op: "add", path: 5, value: 1 }),
    scim("POST", "/Users", {}),
    scim("POST", "/Users", { userName: "no address", displayName: "x" }),
    scim("GET", "/Users?filter=userName%20is"),
    scim("GET", `/Users?filter=${"(".repeat(1900)}`),
    scim("GET", `/Users?filter=${encodeURIComponent(`userName eq "${"\n".repeat(40)}`)}`),
    scim("GET", "/Users?startIndex=one"),
  ];
  for (const reply of refused) {
    const { status, body } = await reply;
    expect([status, body.schemas, body.status]).toEqual([400, ["urn:ietf:params:scim:api:messages:2.0:Error"], "400"]);
  }
  const harmless = await patch(
    id,
    { op: "add", value: { __proto__: { active: false }, constructor: 1, id: "7" } },
    { op: "add", path: "__proto__.active", value: false },
    { op: "add", value: { ["[".repeat(1_000_000)]: 1 } },
  );

  expect([harmless.status, (await scim("GET", `/Users/${id}`)).body]).toEqual([200, before]);
  expect(
    (await Promise.all(["0", "x", "1e3", "99999999999"].map((each) => scim("GET", `/Users/${each}`)))).map(
      ({ status }) => status,
    ),
  ).toEqual([404, 404, 404, 404]);
});

test("the client reads what the endpoints can do", async () => {
  const [config, types, schemas, user, none] = await Promise.all(
    ["/ServiceProviderConfig", "/ResourceTypes", "/Schemas", `/Schemas/${schema}`, "/Nothing"].map((path) =>
      scim("GET", path),
    ),
  );

  expect(config?.body).toMatchObject({ patch: { supported: true }, bulk: { supported: false } });
  expect(types?.body.Resources[0]).toMatchObject({ id: "User", endpoint: "/Users", schema });
  expect(schemas?.body.Resources[0]).toEqual(user?.body);
  expect([none?.status, none?.body.status]).toEqual([404, "404"]);
});

test("where names must be unique, a person whose name is taken has it with the address, however long it is", async () => {
  await withSettings({ require_unique_names: true }, async () => {
    const family = `${token()} ${"é".repeat(90)}`;
    const names = { name: { givenName: "Maria", familyName: family }, displayName: `Maria ${family}` };
    const [first, second] = [anOktaUser("Maria", names), anOktaUser("Maria", names)];

    await scim("POST", "/Users", first);
    const { status, body } = await scim("POST", "/Users", second);

    expect(status).toBe(201);
    expect([...body.displayName]).toHaveLength(100);
    expect(body.displayName).toMatch(/^Maria .*é \(/);
    expect(body.displayName).toContain(`(${second.userName.replace("@", " at ")})`);
  });
});
