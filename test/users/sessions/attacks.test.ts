import { expect, test } from "vitest";
import { transact } from "../../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../../shared/store/users/accounts.ts";
import { open, pathOf, submit } from "../../support/accounts.ts";
import { mailsTo } from "../../support/mails.ts";
import { eventually } from "../../support/waiting.ts";
import { aPerson, call, type Person, personWithKey } from "../../support/world.ts";

/** What somebody tries who wants another person's session, or wants to leave no trace, or a false one. */

const password = "a-rose-by-any-other";
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const script = "python-requests/2.32.3";

const signIn = async (person: Person, client: string, headers: Record<string, string> = {}): Promise<Person> => {
  const params = { username: person.email, password };
  const { body } = await call("POST", "/fetch_api_key", params, { client, headers });
  return personWithKey(person.id, person.email, person.name, body.api_key);
};
const statusOf = async (email: string, apiKey: string) =>
  (await call("GET", "/users/me", {}, { credentials: { email, apiKey } })).status;
const devicesOf = async (person: Person) => (await person.do("GET", "/users/me/devices")).devices;

test("a sign-in takes over no key or cookie that the attacker has put into its request", async () => {
  const [iago, othello] = [await aPerson("Iago", { password }), await aPerson("Othello", { password })];
  const known = await signIn(iago, firefox);
  const { headers } = await known.call("POST", "/users/me/file_session");
  const cookie = String([headers["set-cookie"]].flat()[0]).split(";")[0] ?? "";
  const authorization = `Basic ${Buffer.from(`${iago.email}:${known.apiKey}`).toString("base64")}`;

  const signedIn = await signIn(othello, firefox, { cookie, authorization });

  expect(signedIn.apiKey).not.toBe(known.apiKey);
  expect((await signedIn.do("GET", "/users/me")).user_id).toBe(othello.id);
  expect([await statusOf(othello.email, known.apiKey), await statusOf(iago.email, signedIn.apiKey)]).toEqual([
    401, 401,
  ]);
});

test("a key that was ended is not given again to the same program", async () => {
  const othello = await aPerson("Othello", { password });
  const first = await signIn(othello, script);
  const second = await signIn(othello, script);
  expect(second.apiKey).toBe(first.apiKey);
  const [device] = await devicesOf(first);
  await othello.do("DELETE", `/users/me/devices/${device.id}`);

  const after = await signIn(othello, script);

  expect([after.apiKey === first.apiKey, await statusOf(othello.email, first.apiKey)]).toEqual([false, 401]);
});

test("a device's ID signs it out for its owner only: not for another person, an administrator, or in another's link", async () => {
  const [othello, iago, admin] = [
    await aPerson("Othello", { password }),
    await aPerson("Iago", { password }),
    await aPerson("Duke", { role: "administrator" }),
  ];
  for (const person of [othello, iago]) {
    await person.do("PATCH", "/settings", { enable_login_emails: true });
    const joinedAt = Math.floor(Date.now() / 1000) - 3600;
    await transact([updateAccount(person.email, { set: { joinedAt } })]);
  }
  const browser = await signIn(othello, firefox);
  await signIn(iago, firefox);
  const [{ id }] = await devicesOf(browser);

  for (const person of [iago, admin])
    expect(await person.call("DELETE", `/users/me/devices/${id}`)).toMatchObject({ status: 404 });
  const mails = await eventually(async () => {
    const found = (await mailsTo(iago.email)).filter(({ subject }) => subject.startsWith("New login"));
    return found.length > 0 && found;
  });
  const path = pathOf(/https?:\S+\/sign-out-device\/\S+/.exec(mails[0]?.text ?? "")?.[0] ?? "");
  const [, , token = ""] = path.split("/");
  const [user = "", device = "", expiresAt = "", signature = ""] = token.split(".");
  expect([user, device.length]).toEqual([String(iago.id), 16]);
  for (const forged of [
    [othello.id, id, expiresAt, signature],
    [iago.id, id, expiresAt, signature],
    [othello.id, device, expiresAt, signature],
    [iago.id, device, Number(expiresAt) + 1, signature],
  ]) {
    expect((await open(`/sign-out-device/${forged.join(".")}`)).status).toBe(404);
    expect((await submit(`/sign-out-device/${forged.join(".")}`, {})).status).toBe(404);
  }

  expect(await statusOf(othello.email, browser.apiKey)).toBe(200);
});

test("a clock that is ahead or behind lets no session end early, and none last longer than it may", async () => {
  const othello = await aPerson("Othello", { password });
  const browser = await signIn(othello, firefox);
  const hour = Math.floor(Date.now() / 3_600_000);
  const [stored = ""] = (await findAccount(othello.email))?.sessions ?? [];
  const [use = ""] = (await findAccount(othello.email))?.sessionUses ?? [];
  const id = use.split(" ")[0];
  const usedIn = async (value: number) => {
    const change = { sessions: new Set([`${stored} 7200`]), sessionUses: new Set([`${id} ${value}`]) };
    await transact([updateAccount(othello.email, { set: change })]);
    const { status } = await browser.call("POST", "/users/me/status", { status_text: "" });
    return [status, [...((await findAccount(othello.email))?.sessionUses ?? [])]];
  };

  // As another function has noted it: later hours stay, and earlier ones are replaced until the limit.
  expect(await usedIn(hour + 2)).toEqual([200, [`${id} ${hour + 2}`]]);
  expect((await usedIn(hour - 1))[0]).toBe(200);
  expect(await usedIn(hour - 4)).toEqual([401, [`${id} ${hour - 4}`]]);
});

test("what a program calls itself, and what its owner is called, makes up no audit record", async () => {
  const owner = await aPerson("Duke", { role: "owner" });
  const iago = await aPerson("Iago", { password });
  const forged = `x","type":"role_changed","actor":"server","acting_user_id":${owner.id},"z":"AUDIT#~ (${"y".repeat(2000)})`;

  await signIn(iago, forged);
  const name = `"type":"role_changed" ${owner.id}`;
  expect((await owner.call("PATCH", `/users/${iago.id}`, { full_name: name })).status).toBe(400);

  const { records } = await owner.do("GET", "/realm/audit_log", { user_id: iago.id });
  expect(records.map(({ type, acting_user_id }: Record<string, unknown>) => [type, acting_user_id])).toEqual([
    ["signed_in", iago.id],
    ["user_created", null],
  ]);
  for (const { client } of records) expect((client ?? "").length).toBeLessThanOrEqual(200);
  for (const before of ["~", "ACCOUNT", "0#", `${"9".repeat(30)}`]) {
    const reply = await owner.call("GET", "/realm/audit_log", { before, num: 5 });
    expect(reply.status).toBe(200);
    for (const record of reply.body.records) expect(record.type).toEqual(expect.any(String));
  }
  expect((await owner.call("POST", "/realm/audit_log", {})).status).toBe(405);
});
