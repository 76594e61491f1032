import type { CDPSession, Page } from "playwright-core";
import { expect } from "vitest";
import { listBrowsers } from "../../../shared/store/delivery/browsers.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { sendDirect } from "../../support/messages.ts";
import { aBrowser, type TestBrowser, waitForShown } from "../../support/outside/push-service.ts";
import { eventually } from "../../support/waiting.ts";
import { aPerson, type Person } from "../../support/world.ts";

/**
 * Notifications while the page is closed. Headless Chromium has no push service: the page subscribes at the tests' own one, and
 * what the server sends there is delivered to the real service worker through the debugger.
 */

let sender: Person;
withBrowser(async () => {
  sender = await aPerson("Oberon");
});

/** Makes `PushManager` subscribe at the tests' push service. The subscription outlives the page, as in a browser. */
async function usePushService(page: Page, { subscription }: TestBrowser): Promise<void> {
  await page.addInitScript(({ endpoint, p256dh, auth }) => {
    const { PushManager, localStorage } = globalThis as any;
    const bytesOf = (text: string) =>
      Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
    const stored = () => {
      const key = localStorage.getItem("test-subscription");
      return (
        key && {
          endpoint,
          options: { applicationServerKey: bytesOf(key).buffer },
          toJSON: () => ({ endpoint, keys: { p256dh, auth } }),
          unsubscribe: async () => localStorage.removeItem("test-subscription"),
        }
      );
    };
    PushManager.prototype.getSubscription = async () => stored();
    PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }: any) => {
      if (userVisibleOnly) localStorage.setItem("test-subscription", applicationServerKey);
      return stored();
    };
  }, subscription);
}

async function serviceWorkerOf(page: Page): Promise<{ session: CDPSession; registrationId: string }> {
  await page.waitForFunction(() => (navigator as any).serviceWorker.controller?.state === "activated");
  const session = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = registrations.find(({ isDeleted }) => !isDeleted);
      if (found) resolve(found.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  return { session, registrationId: await registration };
}

/** The notifications that the browser shows. */
const notificationsOn = (page: Page): Promise<{ title: string; body: string; tag: string }[]> =>
  page.evaluate(async () => {
    const registration = await (navigator as any).serviceWorker.getRegistration();
    return (await registration.getNotifications()).map(({ title, body, tag }: any) => ({ title, body, tag }));
  });
const waitForNotifications = (page: Page, count: number) =>
  eventually(async () => {
    const shown = await notificationsOn(page);
    return shown.length === count && shown;
  });

const pushSwitch = (page: Page) => page.getByLabel("Notify me on this device while Skein is closed");
const openSettings = (page: Page) => page.goto(urlOf("/#settings/notifications"));

browserTest(
  "a person is notified while the page is closed, and opens the conversation by a click",
  async () => {
    const titania = await aPerson("Titania", { password });
    await titania.do("PATCH", "/settings", { enable_online_push_notifications: true });
    const { application_server_key } = await titania.do("GET", "/web_push/key");
    const browser = await aBrowser(application_server_key);
    const page = await aPage({ permissions: ["notifications"] });
    await usePushService(page, browser);
    await signedIn(titania, {}, page);
    const { session, registrationId } = await serviceWorkerOf(page);
    const deliver = (payload: unknown) =>
      session.send("ServiceWorker.deliverPushMessage", {
        origin: new URL(urlOf("/")).origin,
        registrationId,
        data: JSON.stringify(payload),
      });

    await openSettings(page);
    await pushSwitch(page).check();
    await eventually(async () => (await listBrowsers(titania.id)).length === 1);
    await expectNoViolations(page);
    const id = await sendDirect(sender, [titania], "Ill met by **moonlight**");
    const [payload] = await waitForShown(browser);

    // The page is visible, and shows notifications itself.
    await deliver(payload);
    await page.goto(urlOf("/join"));
    expect(await notificationsOn(page)).toEqual([]);
    await deliver(payload);
    await deliver(payload);
    expect(await waitForNotifications(page, 1)).toEqual([
      { title: "Oberon", body: "Ill met by moonlight", tag: String(id) },
    ]);

    // A click reaches the page that is open.
    await page.goto(urlOf("/#inbox"));
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    const [worker] = page.context().serviceWorkers();
    await worker?.evaluate(async () => {
      const { registration, NotificationEvent, dispatchEvent } = globalThis as any;
      const [notification] = await registration.getNotifications();
      dispatchEvent(new NotificationEvent("notificationclick", { notification }));
    });
    await page.locator(".message", { hasText: "Ill met by moonlight" }).waitFor();
    expect(await waitForNotifications(page, 0)).toEqual([]);
  },
  120_000,
);

browserTest(
  "the page's own notification and that of the push are one, and it closes when its message is read",
  async () => {
    const titania = await aPerson("Titania", { password });
    const page = await aPage({ permissions: ["notifications"] });
    await page.addInitScript(() => {
      (globalThis as any).document.hasFocus = () => false;
    });
    await signedIn(titania, {}, page);
    const { session, registrationId } = await serviceWorkerOf(page);
    const deliver = (payload: unknown) =>
      session.send("ServiceWorker.deliverPushMessage", {
        origin: new URL(urlOf("/")).origin,
        registrationId,
        data: JSON.stringify(payload),
      });

    const id = await sendDirect(sender, [titania], "Tarry, rash wanton");
    await waitForNotifications(page, 1);
    await page.goto(urlOf("/join"));
    // For a moment, the former page is still among the visible ones.
    await eventually(async () => {
      await deliver({ type: "message", message_id: id, title: "Oberon", content: "Tarry", hash: "#inbox" });
      return (await notificationsOn(page))[0]?.body === "Tarry";
    });
    expect(await notificationsOn(page)).toEqual([{ title: "Oberon", body: "Tarry", tag: String(id) }]);
    // A repeated delivery may still be under way.
    await eventually(async () => {
      await deliver({ type: "remove", message_ids: [id] });
      return (await notificationsOn(page)).length === 0;
    });

    await page.goto(urlOf("/#inbox"));
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    const next = await sendDirect(sender, [titania], "Am not I thy lord?");
    await waitForNotifications(page, 1);
    await titania.do("POST", "/messages/flags", { messages: [next], op: "add", flag: "read" });
    expect(await waitForNotifications(page, 0)).toEqual([]);
  },
  120_000,
);

browserTest(
  "signing out ends the notifications, and so does signing in as somebody else",
  async () => {
    const [titania, bottom] = [await aPerson("Titania", { password }), await aPerson("Bottom", { password })];
    const { application_server_key } = await titania.do("GET", "/web_push/key");
    const page = await aPage({ permissions: ["notifications"] });
    await usePushService(page, await aBrowser(application_server_key));
    const subscribed = async (person: Person) => (await listBrowsers(person.id)).length;
    await signedIn(titania, {}, page);
    await openSettings(page);
    await pushSwitch(page).check();
    await eventually(async () => (await subscribed(titania)) === 1);

    // As if the browser had ended the subscription: the page makes it again.
    await page.evaluate(() => (globalThis as any).localStorage.removeItem("test-subscription"));
    await page.reload();
    await pushSwitch(page).and(page.locator(":checked")).waitFor();
    await page.evaluate(async () => {
      const registration = await (globalThis as any).navigator.serviceWorker.getRegistration();
      await registration.showNotification("Oberon", { tag: "1" });
    });
    await page.goto(urlOf("/#settings/account"));
    await page.getByRole("button", { name: "Sign out of this browser" }).click();
    await page.getByLabel("Password").waitFor();
    expect(await subscribed(titania)).toBe(0);
    expect(await notificationsOn(page)).toEqual([]);

    await signedIn(titania, {}, page);
    await openSettings(page);
    await pushSwitch(page).check();
    await eventually(async () => (await subscribed(titania)) === 1);
    // As if the server had ended the session: the browser's own subscription remains.
    await page.evaluate(() => (globalThis as any).localStorage.removeItem("skein-credentials"));
    await signedIn(bottom, {}, page);
    await page.waitForFunction(() => (globalThis as any).localStorage.getItem("test-subscription") === null);
    expect(await subscribed(bottom)).toBe(0);
  },
  120_000,
);

browserTest("who has blocked notifications learns why the switch is off", async () => {
  const page = await aPage();
  await page.addInitScript(() => {
    Object.defineProperty((globalThis as any).Notification, "permission", { get: () => "denied" });
  });
  await signedIn(await aPerson("Puck", { password }), {}, page);
  const step = page.locator(".getting-started li", { hasText: "Turn on notifications" });
  await step.getByText("Notifications of this page are blocked.").waitFor();
  expect(await step.getAttribute("class")).toBe("");
  await openSettings(page);

  await page.getByText("Notifications of this page are blocked.").waitFor();
  expect(await pushSwitch(page).isDisabled()).toBe(true);
  await expectNoViolations(page);
  // The page /join says with this status that one needs an invitation.
  expect(consoleErrors.splice(0).filter((text) => !text.endsWith("/join"))).toEqual([]);
});
