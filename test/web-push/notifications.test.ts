import { describe, expect, test } from "vitest";
import { mapInBatches } from "../../shared/base/batches.ts";
import { notifyBrowsersJob } from "../../shared/messaging/web-push/jobs.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { type Browser, listBrowsers, setFailures } from "../../shared/store/delivery/browsers.ts";
import { listAllPushed, putPushed } from "../../shared/store/delivery/pushed-messages.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { withSettings } from "../support/organization.ts";
import { aDevice, bouncerRequests, registerDevice } from "../support/outside/bouncer.ts";
import { aBrowser, aSubscribedBrowser, type TestBrowser, waitForShown } from "../support/outside/push-service.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

/** What a browser that has subscribed receives: its push service checks each request, and decrypts it as the browser does. */

async function aBrowserOwner(name: string): Promise<{ person: Person; browser: TestBrowser }> {
  const person = await aPerson(name);
  return { person, browser: await aSubscribedBrowser(person) };
}

const idsOn = (browser: TestBrowser): number[] => browser.shown().map(({ message_id }) => message_id);
/** The messages whose notifications it was told to close: twice, if one was read before it was recorded as shown. */
const closedOn = (browser: TestBrowser) =>
  new Set(browser.shown("remove").flatMap(({ message_ids }) => message_ids as number[]));
const endpointsOf = async ({ id }: Person) => (await listBrowsers(id)).map(({ endpoint }) => endpoint);
const waitUntilRemoved = (person: Person) => eventually(async () => (await endpointsOf(person)).length === 0);

test.concurrent("a direct message is shown with its sender, its text and where to open it", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser } = await aBrowserOwner("Rosalind");

  const id = await sendDirect(orlando, [person], "Run, run, **Orlando**");

  expect(await waitForShown(browser)).toEqual([
    {
      type: "message",
      message_id: id,
      title: "Orlando",
      content: "Run, run, Orlando",
      hash: `#narrow/dm/${[orlando.id, person.id].sort((a, b) => a - b).join(",")}-dm/near/${id}`,
    },
  ]);
  expect(browser.received[0]?.headers).toMatchObject({ urgency: "high", ttl: "86400" });
});

test.concurrent("a person who hides the text of direct messages sees only the sender", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser } = await aBrowserOwner("Rosalind");
  await person.do("PATCH", "/settings", { pm_content_in_desktop_notifications: false });

  await sendDirect(orlando, [person], "a secret");

  const [shown] = await waitForShown(browser);
  expect(shown).toMatchObject({ title: "Orlando" });
  expect(shown).not.toHaveProperty("content");
});

test.concurrent("browsers and phones are notified of the same messages", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser } = await aBrowserOwner("Rosalind");
  const phone = aDevice("fcm");
  await registerDevice(person, phone);
  await person.do("PATCH", "/settings", { automatically_follow_topics_where_mentioned: false });
  const forest = await aChannel("forest", [orlando, person]);
  await person.do("POST", "/user_topics", { stream_id: forest.id, topic: "trees", visibility_policy: 3 });

  await sendToChannel(orlando, forest, "verses", "to nobody");
  const mention = await sendToChannel(orlando, forest, "verses", `@**Rosalind|${person.id}** thy name`);
  const followed = await sendToChannel(orlando, forest, "trees", "Hang there, my verse");

  await waitForShown(browser, 2);
  expect(browser.shown().sort((a, b) => a.message_id - b.message_id)).toMatchObject([
    { message_id: mention, title: `Orlando (#${forest.name} › verses)`, content: "@Rosalind thy name" },
    { message_id: followed, title: `Orlando (#${forest.name} › trees)` },
  ]);
  const pushed = await eventually(async () => {
    const requests = await bouncerRequests(`"push_account_id":${phone.pushAccountId},`, "push/e2ee/notify");
    return requests.length >= 2 && requests.flatMap(({ body }) => body.push_requests as any[]);
  });
  const phoneIds = pushed.map(({ payload }) => phone.open(payload.encrypted_data).message_id as number);
  expect(phoneIds.sort((a, b) => a - b)).toEqual([mention, followed]);
});

test.concurrent("somebody who is online is not notified unless they want to be", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser } = await aBrowserOwner("Rosalind");
  const away = await aBrowserOwner("Celia");
  await person.do("POST", "/users/me/presence", { status: "active" });
  await sendDirect(orlando, [person, away.person], "while you are here");
  await waitForShown(away.browser);
  await person.do("PATCH", "/settings", { enable_online_push_notifications: true });

  const id = await sendDirect(orlando, [person], "in any case");

  await waitForShown(browser);
  expect(idsOn(browser)).toEqual([id]);
});

test.concurrent("a notification is closed when its message is read elsewhere or deleted", async () => {
  const orlando = await aPerson("Orlando", { role: "owner" });
  const { person, browser } = await aBrowserOwner("Rosalind");
  const read = await sendDirect(orlando, [person], "read this");
  const deleted = await sendDirect(orlando, [person], "forget this");
  await waitForShown(browser, 2);

  await person.do("POST", "/messages/flags", { messages: [read], op: "add", flag: "read" });
  await orlando.do("DELETE", `/messages/${deleted}`);

  await eventually(async () => closedOn(browser).size >= 2);
  expect(closedOn(browser)).toEqual(new Set([read, deleted]));
  expect(browser.received.at(-1)?.headers.urgency).toBe("low");
});

test.concurrent("all notifications are closed when all messages are read, however many they are", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser } = await aBrowserOwner("Rosalind");
  const id = await sendDirect(orlando, [person], "the newest of many");
  await waitForShown(browser);
  // Only their records exist.
  const earlier = Array.from({ length: 1100 }, (_, index) => 1_000_000 + index);
  await mapInBatches(earlier, 100, (messageId) => putPushed([person.id], messageId));

  await person.do("POST", "/mark_all_as_read");

  await eventually(async () => (await listAllPushed(person.id)).length === 0);
  await eventually(async () => closedOn(browser).size > earlier.length);
  expect(closedOn(browser)).toEqual(new Set([id, ...earlier]));
});

test.concurrent("a message that was read meanwhile is not shown", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser } = await aBrowserOwner("Rosalind");
  const id = await sendDirect(orlando, [person], "read at once");
  await waitForShown(browser);
  await person.do("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });

  await enqueue(notifyBrowsersJob, { user_id: person.id, message_id: id });

  const later = await sendDirect(orlando, [person], "the next");
  await waitForShown(browser, 2);
  expect(idsOn(browser)).toEqual([id, later]);
});

describe.concurrent("a push service that", () => {
  test.concurrent.each([404, 410, 401, 403])("replies %d has ended the subscription", async (status) => {
    const orlando = await aPerson("Orlando");
    const { person, browser } = await aBrowserOwner("Rosalind");
    browser.replies.push(status);

    await sendDirect(orlando, [person], "Are you there?");

    await waitUntilRemoved(person);
    expect([browser.requests, browser.received]).toEqual([1, []]);
  });

  test.concurrent.each([429, 500, 503])("replies %d is asked again", async (status) => {
    const orlando = await aPerson("Orlando");
    const { person, browser } = await aBrowserOwner("Rosalind");
    browser.replies.push(status);

    const id = await sendDirect(orlando, [person], "Are you there?");

    await waitForShown(browser);
    expect([browser.requests, idsOn(browser)]).toEqual([2, [id]]);
    expect(await endpointsOf(person)).toEqual([browser.subscription.endpoint]);
  });

  test.concurrent("goes on failing is asked once, and other browsers show each notification once", async () => {
    const orlando = await aPerson("Orlando");
    const { person, browser } = await aBrowserOwner("Rosalind");
    const [subscribed] = await listBrowsers(person.id);
    await setFailures(subscribed as Browser, 1);
    const other = await aSubscribedBrowser(person);
    browser.replies.push(503);

    const first = await sendDirect(orlando, [person], "one");
    await eventually(async () => (await listBrowsers(person.id)).some(({ failures }) => failures === 2));
    const second = await sendDirect(orlando, [person], "two");

    await Promise.all([waitForShown(browser), waitForShown(other, 2)]);
    expect([idsOn(browser), idsOn(other)]).toEqual([[second], [first, second]]);
    await eventually(async () => (await listBrowsers(person.id)).every(({ failures = 0 }) => failures === 0));
  });

  test.concurrent("refuses one notification gets the next one, and does not disturb other browsers", async () => {
    const orlando = await aPerson("Orlando");
    const { person, browser } = await aBrowserOwner("Rosalind");
    const other = await aSubscribedBrowser(person);
    browser.replies.push(413, 302);

    const ids = [await sendDirect(orlando, [person], "one"), await sendDirect(orlando, [person], "two")];
    await waitForShown(other, 2);
    await eventually(async () => browser.requests >= 2);
    ids.push(await sendDirect(orlando, [person], "three"));

    await waitForShown(browser, 1);
    expect(idsOn(browser)).toEqual([ids[2]]);
    expect(browser.requests).toBe(3);
  });
});

describe.concurrent("a subscription ends with", () => {
  test.concurrent("the API key with which it was made", async () => {
    const orlando = await aPerson("Orlando");
    const { person, browser } = await aBrowserOwner("Rosalind");
    const { api_key } = await person.do("POST", "/users/me/api_key/regenerate");
    const renewed = { credentials: { email: person.email, apiKey: api_key } };

    await sendDirect(orlando, [person], "after the change");
    await waitUntilRemoved(person);
    await call("POST", "/web_push/subscriptions", browser.subscription, renewed);
    const id = await sendDirect(orlando, [person], "after subscribing again");

    await waitForShown(browser);
    expect(idsOn(browser)).toEqual([id]);
  });

  test.concurrent("the deactivation of its account, also when that is reactivated", async () => {
    const { person } = await aBrowserOwner("Rosalind");
    const owner = await aPerson("Duke", { role: "owner" });

    await owner.do("DELETE", `/users/${person.id}`);
    await waitUntilRemoved(person);
    await owner.do("POST", `/users/${person.id}/reactivate`);

    expect(await endpointsOf(person)).toEqual([]);
  });

  test.concurrent("the call that ends it", async () => {
    const { person, browser } = await aBrowserOwner("Rosalind");
    const { endpoint } = browser.subscription;

    for (let times = 0; times < 2; times++) await person.do("DELETE", "/web_push/subscriptions", { endpoint });

    expect(await endpointsOf(person)).toEqual([]);
  });
});

test("a subscription ends with its session, and others of the account go on", async () => {
  const orlando = await aPerson("Orlando");
  const { person, browser: own } = await aBrowserOwner("Rosalind");
  const { session_key } = await withSettings({ session_age_limit_seconds: 3600 }, () =>
    person.do("POST", "/users/me/file_session"),
  );
  const inSession = { credentials: { email: person.email, apiKey: session_key } };
  const { body } = await call("GET", "/web_push/key", {}, inSession);
  const browser = await aBrowser(body.application_server_key);
  await call("POST", "/web_push/subscriptions", browser.subscription, inSession);
  const first = await sendDirect(orlando, [person], "to both");
  await Promise.all([waitForShown(browser), waitForShown(own)]);

  await call("DELETE", "/users/me/file_session", {}, inSession);
  const second = await sendDirect(orlando, [person], "to one");

  await waitForShown(own, 2);
  await eventually(async () => (await endpointsOf(person)).length === 1);
  expect([idsOn(browser), idsOn(own)]).toEqual([[first], [first, second]]);
});
