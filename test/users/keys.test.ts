import { expect, test } from "vitest";
import { startSession } from "../../shared/services/identity/sessions.ts";
import { listPushTokens } from "../../shared/store/delivery/push-tokens.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { findAccount, updateAccount } from "../../shared/store/users/accounts.ts";
import { listDevices } from "../../shared/store/users/devices.ts";
import { knownConnection, open, pathOf, submit } from "../support/accounts.ts";
import { upload } from "../support/files.ts";
import { send } from "../support/http.ts";
import { mailsTo } from "../support/mails.ts";
import { withSettings } from "../support/organization.ts";
import { aBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, call, localTest, type Person, personWithKey, reportsCosts } from "../support/world.ts";

const password = "a-rose-by-any-other";

/** What browsers and programs call themselves. */
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1";
const phoneApp = "ZulipFlutter/30.0.265 (Android 15)";
const script = "python-requests/2.32.3";

/** The person as somebody who has signed in by a program, with the key that it has got. */
async function signedInWith(
  client: string,
  { id, email, name }: Person,
  at: { localAddress?: string } = {},
): Promise<Person> {
  const { status, body } = await call("POST", "/fetch_api_key", { username: email, password }, { client, ...at });
  expect(status).toBe(200);
  return personWithKey(id, email, name, body.api_key);
}

const statusOf = async (person: Person) => (await person.call("GET", "/users/me")).status;
const devicesOf = async (person: Person) => (await person.do("GET", "/users/me/devices")).devices;
const endOwn = (person: Person, id: string) => person.call("DELETE", `/users/me/devices/${id}`);

test("a new key replaces the old one on the very next request", async () => {
  const ariel = await aPerson("Ariel");

  const { body } = await ariel.call("POST", "/users/me/api_key/regenerate");

  expect(body).toEqual({ result: "success", msg: "", api_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/) });
  expect(body.api_key).not.toBe(ariel.apiKey);
  expect(await ariel.call("GET", "/users/me")).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Invalid API key" },
  });
  const fresh = { credentials: { email: ariel.email, apiKey: body.api_key } };
  expect((await call("GET", "/users/me", {}, fresh)).status).toBe(200);
});

localTest("the test calls the code")(
  "who has proven who they are before all keys ended, or with a former password, is not signed in",
  async () => {
    const trinculo = await aPerson("Trinculo", { password });
    const account = (await findAccount(trinculo.email))!;
    const device = {
      program: { client: "Firefox", system: "Linux", isPersonal: true },
      networkHash: "",
      limits: { ageSeconds: null, idleSeconds: null },
    };

    await trinculo.do("PATCH", "/settings", { old_password: password, new_password: "a-rose-by-another" });
    await expect(startSession(account, device)).rejects.toMatchObject({ status: 401 });
    const { passwordHash: _, ...byKey } = account;
    await startSession(byKey, device);

    await trinculo.do("POST", "/users/me/api_key/regenerate");
    await expect(startSession(byKey, device)).rejects.toMatchObject({ status: 401 });
  },
);

test("a bot cannot replace its own key, and neither can a request without credentials", async () => {
  const robot = await aBot(await aPerson("Prospero"));

  expect(await robot.call("POST", "/users/me/api_key/regenerate")).toMatchObject({ status: 400 });
  expect(await call("POST", "/users/me/api_key/regenerate")).toMatchObject({ status: 401 });
});

test("the API key is shown again for the password alone, and is that of no device", async () => {
  const juliet = await aPerson("Juliet", { password });
  const browser = await signedInWith(firefox, juliet);

  const shown = await browser.call("POST", "/users/me/api_key", { password });
  const refused = await browser.call("POST", "/users/me/api_key", { password: "a-thorn" });

  expect(shown.body.api_key).toBe(juliet.apiKey);
  expect([refused.status, refused.body.code]).toEqual([401, "AUTHENTICATION_FAILED"]);
  await withSettings({ password_auth_enabled: false }, async () =>
    expect((await browser.call("POST", "/users/me/api_key", { password })).body.code).toBe("PASSWORD_AUTH_DISABLED"),
  );
});

localTest("addresses of clients")(
  "each device on which somebody signs in has a key of its own, and is listed without it",
  async () => {
    const juliet = await aPerson("Juliet", { password });
    const [browser, phone] = [
      await signedInWith(firefox, juliet),
      await signedInWith(safari, juliet, { localAddress: "127.0.0.9" }),
    ];

    const devices = await devicesOf(browser);

    expect(new Set([juliet.apiKey, browser.apiKey, phone.apiKey]).size).toBe(3);
    const [inBrowser, onPhone] = [
      devices.find((device: { client: string }) => device.client === "Firefox"),
      devices.find((device: { client: string }) => device.client === "Safari"),
    ];
    const now = Math.floor(Date.now() / 1000);
    expect(devices).toHaveLength(2);
    expect(inBrowser).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      client: "Firefox",
      system: "Linux",
      is_app_password: false,
      date_created: expect.any(Number),
      last_used: expect.any(Number),
      ends_at: null,
      is_current: true,
      is_in_same_network: true,
    });
    expect(onPhone).toMatchObject({ system: "iOS", is_current: false, is_in_same_network: false });
    for (const time of [inBrowser.date_created, inBrowser.last_used]) expect(Math.abs(now - time)).toBeLessThan(300);
    expect(JSON.stringify([devices, await listDevices(juliet.id)])).not.toContain(browser.apiKey);
    expect(await devicesOf(await aPerson("Nurse"))).toEqual([]);
  },
);

test("a device that is signed out is refused at once: its requests, connection, files and notifications; the others go on", async () => {
  const juliet = await aPerson("Juliet", { password });
  const path = await upload(juliet);
  const [browser, phone] = [await signedInWith(firefox, juliet), await signedInWith(phoneApp, juliet)];
  const { headers } = await phone.call("POST", "/users/me/file_session");
  const cookie = String([headers["set-cookie"]].flat()[0]).split(";")[0] ?? "";
  const token = "cafe".repeat(16);
  await phone.do("POST", "/users/me/apns_device_token", { token, appid: "org.zulip.Zulip" });
  const { expectEnd } = await knownConnection(phone);
  const fileStatus = async () => (await send("GET", path, undefined, { headers: { cookie } })).status;
  expect(await fileStatus()).toBe(200);
  const onPhone = (await devicesOf(browser)).find(({ is_current }: { is_current: boolean }) => !is_current);

  expect((await endOwn(browser, onPhone.id)).status).toBe(200);

  expect([await statusOf(phone), await statusOf(browser), await statusOf(juliet)]).toEqual([401, 200, 200]);
  expect([await fileStatus(), await listPushTokens(juliet.id)]).toEqual([401, []]);
  await expectEnd();
  expect(await endOwn(browser, onPhone.id)).toMatchObject({ status: 404, body: { code: "BAD_REQUEST" } });
  expect(await devicesOf(browser)).toHaveLength(1);
});

test("nobody signs out another person's device, and a token goes with the key with which its app signed in last", async () => {
  const [juliet, tybalt] = [await aPerson("Juliet", { password }), await aPerson("Tybalt")];
  const [first, second] = [await signedInWith(phoneApp, juliet), await signedInWith(phoneApp, juliet)];
  const token = "beef".repeat(16);
  for (const phone of [first, second])
    await phone.do("POST", "/users/me/apns_device_token", { token, appid: "org.zulip.Zulip" });
  const idOf = async (phone: Person) =>
    (await devicesOf(phone)).find(({ is_current }: { is_current: boolean }) => is_current).id;
  const [firstId, secondId] = [await idOf(first), await idOf(second)];

  expect((await endOwn(tybalt, firstId)).status).toBe(404);
  expect((await endOwn(juliet, firstId)).status).toBe(200);

  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  expect(await listPushTokens(juliet.id)).toHaveLength(1);
  await endOwn(juliet, secondId);
  expect(await listPushTokens(juliet.id)).toEqual([]);
});

localTest("addresses of clients")(
  "a program that signs in again gets the same key from the same network, and another one once it was signed out",
  async () => {
    const juliet = await aPerson("Juliet", { password });
    const [first, second] = [await signedInWith(script, juliet), await signedInWith(script, juliet)];
    const elsewhere = await signedInWith(script, juliet, { localAddress: "127.0.0.9" });
    const other = await signedInWith("curl/8.14.1", juliet);
    const [browser, otherBrowser] = [await signedInWith(firefox, juliet), await signedInWith(firefox, juliet)];

    const keys = [first, elsewhere, other, browser, otherBrowser].map(({ apiKey }) => apiKey);
    expect([second.apiKey, new Set(keys).size]).toEqual([first.apiKey, 5]);
    const current = (await devicesOf(first)).find(({ is_current }: { is_current: boolean }) => is_current);
    await endOwn(juliet, current.id);
    const again = await signedInWith(script, juliet);

    expect(keys).not.toContain(again.apiKey);
    expect([await statusOf(first), await statusOf(again)]).toEqual([401, 200]);
  },
);

test("whoever signs in over and over signs out none of the other devices, and the account stays below 4 KB", async () => {
  const juliet = await aPerson("Juliet", { password });
  const [phone, oldBrowser] = [await signedInWith(safari, juliet), await signedInWith(firefox, juliet)];
  const browsers: Person[] = [];

  for (let count = 0; count < 21; count++) browsers.push(await signedInWith(firefox, juliet));

  // Of sign-ins in the same second, any may be the first.
  const statuses = await Promise.all([oldBrowser, ...browsers].map(statusOf));
  expect([await statusOf(phone), statuses.at(-1)]).toEqual([200, 200]);
  expect(statuses.filter((status) => status === 200)).toHaveLength(19);
  const account = await findAccount(juliet.email);
  expect([account?.sessions?.size, (await listDevices(juliet.id)).length]).toEqual([20, 20]);
  const bytes = JSON.stringify(account, (_, value) => (value instanceof Set ? [...value] : value)).length;
  expect(bytes).toBeLessThan(3500);
});

test("a device's last use is noted once an hour, and a request costs no more than with the API key", async () => {
  const juliet = await aPerson("Juliet", { password });
  const browser = await signedInWith(firefox, juliet);
  const note = (person: Person) => person.call("POST", "/users/me/status", { status_text: "on the balcony" });
  await note(juliet);
  const account = await findAccount(juliet.email);
  const [id = ""] = [...(account?.sessionUses ?? [])].map((text) => text.split(" ")[0]);
  await transact([updateAccount(juliet.email, { set: { sessionUses: new Set([`${id} 400000`]) } })]);
  const lastUsed = async () => (await devicesOf(juliet))[0].last_used;
  const created = (await devicesOf(juliet))[0].date_created;
  expect(await lastUsed()).toBe(created);

  const [first, second, byApiKey] = [await note(browser), await note(browser), await note(juliet)];

  const hour = Math.floor(Date.now() / 3_600_000);
  const [stored = ""] = (await findAccount(juliet.email))?.sessionUses ?? [];
  expect(hour - Number(stored.split(" ")[1])).toBeLessThanOrEqual(1);
  if (!reportsCosts()) return;
  expect(second.cost).toEqual(byApiKey.cost);
  expect(first.cost.writeUnits - second.cost.writeUnits).toBeLessThanOrEqual(2);
  expect(first.cost.readUnits).toBe(second.cost.readUnits);
});

test("an administrator signs somebody out of everything; only owners do so with owners", async () => {
  const [owner, admin] = [
    await aPerson("Escalus", { role: "owner" }),
    await aPerson("Paris", { role: "administrator" }),
  ];
  const juliet = await aPerson("Juliet", { password });
  const browser = await signedInWith(firefox, juliet);
  await browser.do("POST", "/users/me/apns_device_token", { token: "f00d".repeat(16), appid: "org.zulip.Zulip" });
  const end = (by: Person, { id }: Person) => by.call("DELETE", `/users/${id}/devices`);

  expect((await end(juliet, admin)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  expect((await end(admin, owner)).body.code).toBe("UNAUTHORIZED_PRINCIPAL");
  expect((await end(admin, juliet)).status).toBe(200);

  expect([await statusOf(browser), await statusOf(juliet), await listPushTokens(juliet.id)]).toEqual([401, 401, []]);
  expect(await statusOf(await signedInWith(firefox, juliet))).toBe(200);
});

test("a session that began without an end gets one when its browser starts after the organization has set an age", async () => {
  const juliet = await aPerson("Juliet", { password });
  const browser = await signedInWith(firefox, juliet);

  const { body } = await withSettings({ session_age_limit_seconds: 3600 }, () =>
    browser.call("POST", "/users/me/file_session"),
  );

  expect(body).toEqual({ result: "success", msg: "", session_ends_at: expect.any(Number) });
  expect(body.session_ends_at - Date.now() / 1000).toBeLessThanOrEqual(3600);
  expect((await devicesOf(browser))[0].ends_at).toBe(body.session_ends_at);
});

test("a sign-in on a new device is mailed with a link, whose page signs that device out; a made-up link does nothing", async () => {
  const juliet = await aPerson("Juliet", { password });
  await juliet.do("PATCH", "/settings", { enable_login_emails: true });
  await transact([updateAccount(juliet.email, { set: { joinedAt: Math.floor(Date.now() / 1000) - 3600 } })]);
  const loginMails = async () => (await mailsTo(juliet.email)).filter(({ subject }) => subject.startsWith("New login"));
  const [thief] = [await signedInWith(script, juliet), await signedInWith(script, juliet)];
  await eventually(async () => (await loginMails()).length > 0);

  const [mail] = await loginMails();
  const path = pathOf(/https?:\S+\/sign-out-device\/\S+/.exec(mail?.text ?? "")?.[0] ?? "");
  const opened = await open(path);
  const stillThere = await statusOf(thief);
  const [forged, crossSite] = [
    await submit(`${path.slice(0, -3)}AAA`, {}),
    await submit(path, {}, { headers: { origin: "https://evil.test" } }),
  ];
  expect((await open("/sign-out-device/x")).status).toBe(404);
  const statuses = [opened.status, stillThere, forged.status, crossSite.status, await statusOf(thief)];
  const ended = await submit(path, {});

  expect(statuses).toEqual([200, 200, 404, 400, 200]);
  expect(opened.bytes.toString()).toContain("python-requests");
  expect([ended.status, await statusOf(thief), await statusOf(juliet)]).toEqual([200, 401, 200]);
  expect(ended.bytes.toString()).toContain("change your password");
  expect((await submit(path, {})).status).toBe(200);
  expect(await loginMails()).toHaveLength(1);
});
