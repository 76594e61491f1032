import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  aPage,
  consoleErrors,
  enterPassword,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { png, upload } from "../../support/files.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** What a browser keeps of the web client: offline, during a change of builds, and after signing out. */

let person: Person;
let channel: Channel;

withBrowser(async () => {
  person = await aPerson("Banquo", { password });
  channel = await aChannel("heath", [person]);
});

const topicPath = (topic: string) => `/#narrow/channel/${channel.id}-heath/topic/${topic}`;
const send = (topic: string, content: string) =>
  person.call("POST", "/messages", { type: "channel", to: channel.id, topic, content });
const message = (page: Page, text: string) => page.locator(".message", { hasText: text });

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Email").fill(person.email);
  await enterPassword(page);
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
}

/** Waits until the service worker controls the page. */
const waitForWorker = (page: Page) =>
  page.waitForFunction(() => (navigator as any).serviceWorker.controller?.state === "activated");
const cacheNames = (page: Page) => page.evaluate(() => (globalThis as any).caches.keys() as Promise<string[]>);
/** The URLs of all cached files. */
const cachedPaths = (page: Page) =>
  page.evaluate(async () => {
    const { caches } = globalThis as any;
    const requests = await Promise.all(
      (await caches.keys()).map(async (name: string) => (await caches.open(name)).keys()),
    );
    return requests.flat().map(({ url }: { url: string }) => new URL(url).pathname as string);
  });

/** The status with which a page gets a file; 0 if it gets none. `cache` is the mode of fetch. */
const statusOf = (page: Page, path: string, cache: string) =>
  page.evaluate(
    ({ url, mode }) =>
      fetch(url, { cache: mode as never, mode: "same-origin" }).then(
        ({ status }) => status,
        () => 0,
      ),
    { url: path, mode: cache },
  );
/** Whether an image element of the page shows a file. */
const showsPicture = (page: Page, path: string) =>
  page.evaluate(
    (url) =>
      new Promise<boolean>((resolve) => {
        const image = Object.assign(new (globalThis as any).Image(), {
          onload: () => resolve(true),
          onerror: () => resolve(false),
        });
        image.src = url;
      }),
    path,
  );

browserTest(
  "files that a browser has shown are unreadable after signing out, and the program still opens without a network",
  async () => {
    const url = await upload(person, "ghost.png", png);
    const page = await signedIn(person);
    await page.waitForFunction(() => (navigator as any).serviceWorker.controller?.state === "activated");
    await page.evaluate(() => localStorage.setItem("kept by another program", "1"));
    expect(await statusOf(page, url, "default")).toBe(200);
    expect(await statusOf(page, url, "only-if-cached")).toBe(200);
    expect(await showsPicture(page, url)).toBe(true);

    await page.goto(urlOf("/#settings/account"));
    await page.getByRole("button", { name: "Sign out of this browser" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();

    // The browser clears its cache in the background.
    await eventually(async () => (await statusOf(page, url, "only-if-cached")) !== 200);
    for (const mode of ["default", "force-cache"]) expect([mode, await statusOf(page, url, mode)]).toEqual([mode, 401]);
    expect(await showsPicture(page, url)).toBe(false);
    expect(await page.evaluate(() => localStorage.length)).toBe(1);
    expect(await cacheNames(page)).toHaveLength(1);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    // The refused files.
    consoleErrors.splice(0);
    await page.context().close();
  },
  180_000,
);

browserTest(
  "a page that is loaded offline shows a notice, and shows the messages once the network is back",
  async () => {
    await send("storm", "When the hurlyburly's done");
    const page = await aPage();
    await signIn(page, urlOf("/"));
    await page.goto(urlOf(topicPath("storm")));
    await message(page, "hurlyburly").waitFor();
    await waitForWorker(page);

    await page.context().setOffline(true);
    await page.reload();

    await page.getByRole("heading", { name: "Reconnecting" }).waitFor();
    await expectNoViolations(page);
    await send("storm", "When the battle's lost and won");
    await page.context().setOffline(false);
    await message(page, "hurlyburly").waitFor();
    await message(page, "lost and won").waitFor();
    expect(await page.getByText("Reconnecting").count()).toBe(0);
    expect(consoleErrors.splice(0).filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
    await page.context().close();
  },
);

browserTest("the client is installable, and API requests bypass the service worker", async () => {
  const page = await aPage();
  await signIn(page, urlOf("/"));
  await waitForWorker(page);
  const reply = page.waitForResponse((response) => response.url().endsWith("/api/v1/register"));
  await page.reload();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();

  expect((await reply).fromServiceWorker()).toBe(false);
  const session = await page.context().newCDPSession(page);
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // Browsers do not install apps in a test's profile.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
  await page.context().close();
});

browserTest("only the client's files are cached, and signing out offline clears the local storage", async () => {
  const page = await aPage();
  await signIn(page, urlOf("/"));
  await page.goto(urlOf(topicPath("secret")));
  await page.getByLabel("Message", { exact: true }).fill("Look like the innocent flower");
  await waitForWorker(page);
  await page.reload();
  await page.getByLabel("Message", { exact: true }).waitFor();

  expect((await cachedPaths(page)).filter((path) => !/^\/$|^\/client\/[\w-]+-[A-Z0-9]{8}\./.test(path))).toEqual([]);
  await page.context().setOffline(true);
  await page.getByLabel("Message", { exact: true }).fill("Look like the innocent flower, but be the serpent under 't");
  await page.reload();
  await page.getByRole("button", { name: "Sign out" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("but be the serpent").waitFor();
  await question.getByRole("button", { name: "Sign out and discard" }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await page.evaluate(() => (globalThis as any).localStorage.length)).toBe(0);
  await page.context().setOffline(false);
  await page.reload();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  consoleErrors.splice(0);
  await page.context().close();
});

browserTest(
  "a text being written is a draft of the server after signing out, and in its box after signing in again",
  async () => {
    const page = await aPage();
    await signIn(page, urlOf("/"));
    await page.goto(urlOf(topicPath("flower")));
    await page.getByLabel("Message", { exact: true }).fill("but be the serpent under 't");

    await page.getByRole("button", { name: "Your account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await page.evaluate(() => (globalThis as any).localStorage.length)).toBe(0);
    await signIn(page, urlOf("/"));
    await page.goto(urlOf(topicPath("flower")));

    await expect
      .poll(() => page.getByLabel("Message", { exact: true }).inputValue())
      .toBe("but be the serpent under 't");
    await page.context().close();
  },
);

browserTest(
  "a new build is used from the next navigation, and the old build's files are deleted then",
  { timeout: 120_000 },
  async () => {
    const fleet = await startFleetWithBuilds();
    const page = await aPage();
    await signIn(page, fleet.url);
    await waitForWorker(page);
    const oldCaches = await cacheNames(page);
    expect(oldCaches).toHaveLength(1);

    fleet.deploy();
    // An installation may fail on a busy machine; each update tries again.
    await eventually(() =>
      page.evaluate(async () => {
        const registration = await (navigator as any).serviceWorker.getRegistration();
        await registration.update().catch(() => {});
        return registration.waiting !== null;
      }),
    );
    // The open page belongs to the old build, whose files stay cached for it.
    expect(await cacheNames(page)).toEqual(expect.arrayContaining(oldCaches));
    await page.reload();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();

    expect(await page.locator('script[src*="-NEWBUILD"]').count()).toBe(1);
    await eventually(async () => !(await cacheNames(page)).includes(oldCaches[0] ?? ""), 30);
    expect(await cacheNames(page)).toHaveLength(1);
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole("heading", { name: "Reconnecting" }).waitFor();
    expect(await page.locator('script[src*="-NEWBUILD"]').count()).toBe(1);
    await page.context().close();
    fleet.close();
    consoleErrors.splice(0);
  },
);

browserTest("there are no other console errors", () => {
  expect(consoleErrors).toEqual([]);
});

/** A proxy in front of the fleet under test that, after `deploy`, serves the same client with another main script. */
async function startFleetWithBuilds() {
  let isDeployed = false;
  const mainScript = /main-[A-Z0-9]{8}\.js/g;
  let mainScriptName = "";
  const server: Server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "/";
    /** Whether the reply names the main script. */
    const hasScriptNames = path === "/" || path === "/service-worker.js";
    if (isDeployed && mainScriptName && path === `/client/${mainScriptName}`) return void outgoing.writeHead(404).end();
    const { host: _, ...headers } = incoming.headers;
    if (hasScriptNames) {
      headers["accept-encoding"] = "identity";
      delete headers["if-none-match"];
    }
    const forwarded = request(
      urlOf(path.replace("main-NEWBUILD.js", mainScriptName)),
      { method: incoming.method, headers },
      async (reply) => {
        if (!hasScriptNames) {
          outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
          return void reply.pipe(outgoing);
        }
        let text = Buffer.concat(await reply.toArray()).toString();
        mainScriptName ||= text.match(mainScript)?.[0] ?? "";
        if (isDeployed) text = text.replace(mainScript, "main-NEWBUILD.js").replace(/(build:")[0-9a-f]+/, "$1new");
        const { "content-length": __, "transfer-encoding": ___, etag: ____, ...remainingHeaders } = reply.headers;
        outgoing.writeHead(reply.statusCode ?? 502, remainingHeaders).end(text);
      },
    );
    forwarded.once("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    deploy: () => {
      isDeployed = true;
    },
    close: () => server.close(),
  };
}
