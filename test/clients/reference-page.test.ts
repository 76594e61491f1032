import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { browserTest, chromiumPath } from "../support/browser/browser-test.ts";
import { exposeHost } from "../support/hosts/expose-host.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The reference page in a real browser, used as a person uses it. */

let browser: Browser;
let page: Page;
let ada: Person;
let lab: Channel;
let publicHost: Awaited<ReturnType<typeof exposeHost>>;
const requestedUrls: string[] = [];
/** Errors and warnings in the console. */
const consoleMessages: string[] = [];

beforeAll(async () => {
  if (!chromiumPath) return;
  ada = await aPerson("Ada");
  lab = await aChannel("lab", [ada]);
  publicHost = await exposeHost();
  browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on("request", (request) => requestedUrls.push(request.url()));
  page.on("pageerror", (error) => consoleMessages.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") consoleMessages.push(message.text());
  });
  await page.goto(`${publicHost.url}/api`);
  await page.locator(".opblock-tag-section").first().waitFor();
}, 240_000);

afterAll(async () => {
  await browser?.close();
  publicHost?.close();
});

const openOperation = async (tag: string, operation: string) => {
  const section = page.locator(`#operations-${tag}-${operation}`);
  if (!(await section.isVisible())) await page.locator(`#operations-tag-${tag}`).click();
  await section.locator(".opblock-summary-control").click();
  return section;
};

type Operation = Awaited<ReturnType<typeof openOperation>>;

/** Presses "Execute" and returns the reply that the page shows. */
async function execute(operation: Operation): Promise<{ status: string | null; body: any }> {
  await operation.locator(".execute").click();
  const reply = operation.locator(".live-responses-table tr.response").first();
  const body = await reply.locator(".highlight-code code, pre code").first().textContent();
  return { status: await reply.locator("td.response-col_status").textContent(), body: JSON.parse(body ?? "") };
}

browserTest("the page shows every resource, without requests to other hosts or console errors", async () => {
  expect(await page.title()).toBe("Skein API");
  expect(await page.locator(".opblock-tag-section").count()).toBeGreaterThan(30);
  expect(new Set(requestedUrls.map((url) => new URL(url).origin))).toEqual(new Set([new URL(publicHost.url).origin]));
  expect(requestedUrls.map((url) => new URL(url).pathname).sort()).toEqual([
    "/api",
    "/api/v1/openapi.json",
    "/reference/reference.css",
    "/reference/reference.js",
  ]);
  expect(consoleMessages).toEqual([]);
});

browserTest("the page calls the server with the key that a person enters", async () => {
  await page.locator(".btn.authorize").click();
  const form = page.locator(".modal-ux .auth-container").filter({ hasText: "http, Basic" });
  await form.locator("input[name=username]").fill(ada.email);
  await form.locator("input[name=password]").fill(ada.apiKey);
  await form.locator(".btn.authorize").click();
  await form.locator(".btn-done").click();

  const reply = await execute(await openOperation("Users", "getOwnUser"));

  expect(reply.status).toBe("200");
  expect(reply.body).toMatchObject({ result: "success", user_id: ada.id, full_name: "Ada" });
});

browserTest("the page sends the filled fields of a form and no empty ones", async () => {
  const operation = await openOperation("Messages", "sendMessage");
  const field = (name: string) => operation.locator(`tr[data-property-name="${name}"]`);
  await field("type").locator("select").selectOption("channel");
  await field("to").locator("input[type=text]").fill(String(lab.id));
  await field("topic").locator("input[type=text]").fill("looms");
  await field("content").locator("input[type=text]").fill("from the page");

  const { status, body } = await execute(operation);

  expect(status).toBe("200");
  const { message } = (await ada.call("GET", `/messages/${body.id}`, { apply_markdown: false })).body;
  expect(message).toMatchObject({ stream_id: lab.id, subject: "looms", content: "from the page" });
  expect(consoleMessages).toEqual([]);
});
