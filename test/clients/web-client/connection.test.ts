import type { Page, WebSocketRoute } from "playwright-core";
import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { aPage, consoleErrors, password, signedIn, withBrowser } from "../../support/browser/client-pages.ts";
import { sendDirect } from "../../support/messages.ts";
import { aPerson, type Person } from "../../support/world.ts";

/** How the page waits for events: at a WebSocket, and by polls where none can be opened. */

let hero: Person;
let ursula: Person;

withBrowser(async () => {
  [hero, ursula] = [await aPerson("Hero", { password }), await aPerson("Ursula")];
});

/** Opens a page as Hero. `polls` counts its requests for events, and `pings` those that report presence. */
async function open(prepare: (page: Page) => Promise<unknown>) {
  const page = await aPage({ viewport: { width: 1280, height: 800 } });
  const counts = { polls: 0, pings: 0 };
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === "GET" && pathname === "/api/v1/events") counts.polls++;
    if (pathname === "/api/v1/users/me/presence") counts.pings++;
  });
  await prepare(page);
  await signedIn(hero, {}, page);
  return { page, counts };
}

/** Ursula writes to Hero, whose page lists the conversation with the number of unread messages. */
async function receive(page: Page, text: string) {
  await sendDirect(ursula, [hero], text);
  await page.getByText(text).first().waitFor();
}

const presenceOf = async (person: Person) =>
  (await ursula.call("GET", `/users/${person.id}/presence`)).body.presence?.aggregated.status;

const openConversation = (page: Page) => page.goto(`${new URL(page.url()).origin}/#narrow/dm/${ursula.id}`);

browserTest("the page receives events and reports its user by a WebSocket, and neither polls nor pings", async () => {
  const opened = new Set<string>();
  const sent: string[] = [];
  const { page, counts } = await open(async (fresh) => {
    fresh.on("websocket", (socket) => {
      socket.on("framesent", ({ payload }) => sent.push(String(payload)));
      socket.on("framereceived", () => opened.add(socket.url()));
    });
  });
  await openConversation(page);
  await expect.poll(() => opened.size).toBe(1);
  const pollsBefore = counts.polls;

  for (const text of ["by the socket", "and again"]) await receive(page, text);

  expect(counts.polls).toBe(pollsBefore);
  expect(JSON.parse(sent[0] ?? "")).toMatchObject({ presence: "active", presence_last_update_id: expect.any(Number) });
  await expect.poll(async () => presenceOf(hero)).toBe("active");
  expect(counts.pings).toBe(0);
  expect(consoleErrors).toEqual([]);
  await page.close();
});

browserTest("a connection that is lost is opened again, and nothing is missing or shown twice", async () => {
  const sockets: WebSocketRoute[] = [];
  const { page } = await open((fresh) =>
    fresh.routeWebSocket(/connections|execute-api/, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    }),
  );
  await openConversation(page);
  await expect.poll(() => sockets.length).toBe(1);
  await receive(page, "before the loss");

  await sockets[0]?.close({ code: 1012 });
  await receive(page, "meanwhile");
  await expect.poll(() => sockets.length).toBeGreaterThan(1);
  await receive(page, "after the loss");

  for (const text of ["before the loss", "meanwhile", "after the loss"])
    expect(await page.locator(".message", { hasText: text }).count()).toBe(1);
  await page.close();
});

browserTest("what arrives while its conversation is being fetched is shown", async () => {
  const frames: string[] = [];
  const { page } = await open(async (fresh) => {
    fresh.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => frames.push(String(payload))));
  });
  const id = await sendDirect(ursula, [hero], "as it was");
  const fetched = new Promise<() => Promise<void>>((resolve) =>
    page.route(
      "**/api/v1/messages?**",
      async (route) => {
        const response = await route.fetch();
        resolve(() => route.fulfill({ response }));
      },
      { times: 1 },
    ),
  );
  await openConversation(page);
  const answer = await fetched;

  await ursula.do("PATCH", `/messages/${id}`, { content: "as it is" });
  await sendDirect(ursula, [hero], "the newest");
  await expect.poll(() => frames.join()).toContain("the newest");
  await answer();

  for (const text of ["as it is", "the newest"]) await page.locator(".message", { hasText: text }).waitFor();
  await page.close();
});

browserTest("the page polls where WebSockets are blocked", async () => {
  const { page, counts } = await open((fresh) =>
    fresh.routeWebSocket(/connections|execute-api/, (socket) => socket.close({ code: 1008 })),
  );
  await openConversation(page);

  await receive(page, "by a poll");

  expect(counts.polls).toBeGreaterThan(0);
  await expect.poll(() => counts.pings).toBeGreaterThan(0);
  await page.close();
});
