import { expect, test } from "vitest";
import { notifyBrowsers } from "../../shared/messaging/web-push/notify-browsers.ts";
import { listBrowsers, putBrowser } from "../../shared/store/delivery/browsers.ts";
import { withConsistentReads } from "../../shared/store/table/consistency.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { outgoingSettings } from "../support/hosts/outgoing.ts";
import { sendDirect } from "../support/messages.ts";
import { aBrowser, aSubscribedBrowser, waitForShown } from "../support/outside/push-service.ts";
import { aReceiver } from "../support/outside/receiver.ts";
import { aBot } from "../support/people.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, costTest, type Person } from "../support/world.ts";

/** What clients give as a subscription is untrusted: the server sends requests to it. */

Object.assign(process.env, outgoingSettings);

const keyOf = async (person: Person): Promise<string> =>
  (await person.do("GET", "/web_push/key")).application_server_key;
const subscribe = (person: Person, subscription: Record<string, unknown>) =>
  person.call("POST", "/web_push/subscriptions", subscription);

test("the server's key is the same for all, and a point of the curve", async () => {
  const [celia, audrey] = [await aPerson("Celia"), await aPerson("Audrey")];

  const key = await keyOf(celia);

  expect(await keyOf(audrey)).toBe(key);
  expect(Buffer.from(key, "base64url")).toHaveLength(65);
  expect(Buffer.from(key, "base64url")[0]).toBe(4);
});

test("what is no subscription is refused", async () => {
  const celia = await aPerson("Celia");
  const { subscription } = await aBrowser(await keyOf(celia));
  const endpoints = [
    "",
    "push",
    "//push.example/1",
    "http://push.example/1",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost:1/",
    "ftp://push.example/1",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https://",
    "https://name:key@push.example/1",
    `https://push.example/${"x".repeat(2000)}`,
  ];
  const point = Buffer.from(subscription.p256dh, "base64url");
  const notOnCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString("base64url");
  const keys = [
    "",
    "AAAA",
    notOnCurve,
    point.subarray(0, 64).toString("base64url"),
    point.toString("base64"),
    "\0",
    "ß".repeat(87),
  ];
  const auths = ["", "AAAA", Buffer.alloc(17).toString("base64url"), `${subscription.auth}=`, "?"];

  const refused = [
    ...endpoints.map((endpoint) => ({ ...subscription, endpoint })),
    ...keys.map((p256dh) => ({ ...subscription, p256dh })),
    ...auths.map((auth) => ({ ...subscription, auth })),
  ];

  for (const each of refused)
    expect([each, (await subscribe(celia, each)).body]).toEqual([each, expect.objectContaining({ result: "error" })]);
  for (const missing of ["endpoint", "p256dh", "auth"])
    expect((await subscribe(celia, { ...subscription, [missing]: undefined })).body.code).toBe(
      "REQUEST_VARIABLE_MISSING",
    );
  expect((await subscribe(await aBot(celia), subscription)).status).toBe(400);
  expect(await listBrowsers(celia.id)).toEqual([]);
});

test("no request reaches an address of the own network, and the subscription that led there is removed", async () => {
  const [celia, silvius] = [await aPerson("Celia"), await aPerson("Silvius")];
  const good = await aSubscribedBrowser(celia);
  const { subscription } = await aBrowser(await keyOf(celia));
  // This name resolves to what the receiver says.
  const names = await aReceiver((_, response) => response.end(JSON.stringify(["127.0.0.1", "10.0.0.1"])));
  const { port } = new URL(names.url);
  const endpoints = [
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/",
    "https://10.0.0.1/",
    "https://[::ffff:10.0.0.1]:9991/",
    "https://0x7f000002/",
    `https://rebinding.${port}.names.test/`,
  ];
  for (const endpoint of endpoints) expect((await subscribe(celia, { ...subscription, endpoint })).status).toBe(200);

  await sendDirect(silvius, [celia], "to the one that exists");

  await waitForShown(good);
  await eventually(async () => (await listBrowsers(celia.id)).length === 1);
  expect((await listBrowsers(celia.id))[0]?.endpoint).toBe(good.subscription.endpoint);
});

test("an eleventh browser takes the place of the oldest", async () => {
  const celia = await aPerson("Celia");
  const { subscription } = await aBrowser(await keyOf(celia));
  const keys = { ...subscription, userId: celia.id, keyHash: "" };
  const older = Array.from({ length: 10 }, (_, index) => ({ ...keys, endpoint: `https://push.example/${index}` }));
  for (const [index, browser] of older.entries()) await transact([putBrowser({ ...browser, createdAt: 100 - index })]);

  for (let times = 0; times < 2; times++) expect((await subscribe(celia, subscription)).status).toBe(200);

  const endpoints = (await listBrowsers(celia.id)).map(({ endpoint }) => endpoint).sort();
  expect(endpoints).toEqual([subscription.endpoint, ...older.slice(0, 9).map(({ endpoint }) => endpoint)].sort());
});

test("a browser whose push service takes nothing is removed in the end", async () => {
  const [celia, silvius] = [await aPerson("Celia"), await aPerson("Silvius")];
  const browser = await aSubscribedBrowser(celia);
  const id = await sendDirect(silvius, [celia], "heard");
  await waitForShown(browser);
  /** The last attempt of the job, which does not fail. */
  const notify = () => notifyBrowsers(celia.id, id, { isLast: true });
  const failures = async () => (await withConsistentReads(() => listBrowsers(celia.id))).map((each) => each.failures);

  browser.replies.push(500, 503);
  for (let times = 0; times < 2; times++) await notify();
  expect(await failures()).toEqual([2]);
  await notify();
  expect(await failures()).toEqual([0]);
  browser.replies.push(...Array(100).fill(500));
  for (let times = 0; times < 99; times++) await notify();
  expect(await failures()).toEqual([99]);
  await notify();
  expect(await failures()).toEqual([]);
});

costTest("subscribing costs 6 write units, and again nothing", async () => {
  const [first, celia] = [await aPerson("First"), await aPerson("Celia")];
  // The organization's first browser costs more, because it starts the processing of the log.
  await aSubscribedBrowser(first);
  const { subscription } = await aBrowser(await keyOf(celia));

  const added = await subscribe(celia, subscription);
  const again = await subscribe(celia, subscription);
  const removed = await celia.call("DELETE", "/web_push/subscriptions", { endpoint: subscription.endpoint });

  expect([added, again, removed].map(({ cost }) => cost.writeUnits)).toEqual([6, 0, 6]);
  // What was written in the last 30 s costs one more.
  expect(again.cost.readUnits).toBeLessThanOrEqual(6);
});
