import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest } from "../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../support/browser/client-pages.ts";
import { sendToChannel } from "../../support/messages.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** Keys of assistants in the settings: what is copied works, and what is revoked does not. */

let stephano: Person;
let cell: Channel;
let page: Page;

withBrowser(async () => {
  stephano = await aPerson("Stephano", { password });
  cell = await aChannel("cell", [stephano]);
  await aChannel("cellar", [stephano]);
  page = await signedIn(stephano);
});

/** The names of the channels that a key reveals, or the status of the refusal. */
const channelsSeen = (authorization: string) => callTool(authorization, "list_channels");

/** The reply of a tool, or the status of the refusal. */
async function callTool(authorization: string, name: string, sent: object = {}): Promise<string | number> {
  const reply = await fetch(urlOf("/mcp"), {
    method: "POST",
    headers: { authorization, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: sent },
    }),
  });
  return reply.ok ? await reply.text() : reply.status;
}

browserTest(
  "an assistant is connected by what the settings show, reads the chosen channel, and is revoked",
  async () => {
    await page.goto(urlOf("#settings/assistants"));
    await page.getByText("No assistant has a key of yours.").waitFor();
    const form = page.locator("form", { hasText: "New key" });
    await form.getByLabel("Name of the assistant").fill("Ariel");
    await form.getByLabel("Channels that it may read").selectOption({ label: "Only selected" });
    // A key for nothing cannot be created.
    expect(await form.getByRole("button", { name: "Create a key" }).isDisabled()).toBe(true);
    await form.getByLabel(cell.name).check();
    await form.getByRole("button", { name: "Create a key" }).click();

    const shown = page.getByRole("region", { name: "The key of “Ariel”" });
    const key = await shown.getByLabel("Key to copy").inputValue();
    expect(await shown.getByLabel("For Claude Code").inputValue()).toBe(
      `claude mcp add --transport http skein ${urlOf("/mcp")} --header "Authorization: Bearer ${key}"`,
    );
    const { skein } = JSON.parse(await shown.getByLabel("For Cursor").inputValue()).mcpServers;
    expect(skein).toEqual({ url: urlOf("/mcp"), headers: { Authorization: `Bearer ${key}` } });
    const { servers } = JSON.parse(await shown.getByLabel("For Visual Studio Code").inputValue());
    expect(servers).toEqual({ skein: { type: "http", ...skein } });
    const seen = await channelsSeen(skein.headers.Authorization);
    expect(seen).toContain(cell.name);
    expect(seen).not.toContain("cellar");

    for (const [width, height, colorScheme] of [
      [1440, 900, "light"],
      [390, 844, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await expectNoViolations(page);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }

    // The key is told once; what it is for stays in the list.
    await page.reload();
    const item = page.getByRole("list", { name: "Keys of your assistants" }).getByRole("listitem");
    await item.getByText(`Reads: ${cell.name}`, { exact: true }).waitFor();
    await item.getByText("Writes nothing").waitFor();
    await item.getByText("Last used").waitFor();
    expect(await page.getByLabel("Key to copy").count()).toBe(0);
    await item.getByRole("button", { name: "Revoke the key “Ariel”" }).click();
    await page.getByText("No assistant has a key of yours.").waitFor();
    expect(await channelsSeen(skein.headers.Authorization)).toBe(401);
    expect(consoleErrors).toEqual([]);
  },
);

browserTest("what an assistant writes with a key for one channel is shown to be the assistant's", async () => {
  await page.goto(urlOf("#settings/assistants"));
  const form = page.locator("form", { hasText: "New key" });
  await form.getByLabel("Name of the assistant").fill("Miranda's helper");
  await form.getByLabel("It may write in my name").check();
  await form.getByLabel("Channels in which it may write").selectOption({ label: "Only selected" });
  await form.getByLabel(cell.name, { exact: true }).check();
  await expectNoViolations(page);
  await form.getByRole("button", { name: "Create a key" }).click();
  const shown = page.getByRole("region", { name: "The key of" });
  const key = await shown.getByLabel("Key to copy").inputValue();
  const item = page.getByRole("list", { name: "Keys of your assistants" }).getByRole("listitem");
  await item.getByText("Reads: All channels", { exact: true }).waitFor();
  await item.getByText(`Writes: ${cell.name} · without mentions`, { exact: true }).waitFor();

  await sendToChannel(stephano, cell, "wine", "By myself");
  const written = { channel_id: cell.id, topic: "wine", content: "By my assistant" };
  expect(await callTool(`Bearer ${key}`, "send_message", written)).toContain("Sent as message");
  await page.goto(urlOf(`#narrow/channel/${cell.id}/topic/wine`));

  const [own, byAgent] = ["By myself", "By my assistant"].map((text) =>
    page.getByRole("article").filter({ hasText: text }),
  );
  await byAgent?.getByText("via Miranda's helper").waitFor();
  expect(await own?.getByText("via ").count()).toBe(0);

  // An administrator sees what it did, and revokes the key.
  const trinculo = await aPerson("Trinculo", { password, role: "administrator" });
  const adminPage = await signedIn(trinculo);
  await adminPage.goto(urlOf("#settings/assistants"));
  const ofAll = adminPage.getByRole("list", { name: "Everyone's assistant keys" });
  const card = ofAll.getByRole("listitem").filter({ hasText: "Miranda's helper (Stephano)" });
  await card.getByRole("button", { name: "What it did" }).click();
  await card.getByText("send_message").waitFor();
  await expectNoViolations(adminPage);
  await card.getByRole("button", { name: "Revoke the key “Miranda's helper” of Stephano" }).click();
  await card.waitFor({ state: "detached" });
  expect(await channelsSeen(`Bearer ${key}`)).toBe(401);
  expect(consoleErrors).toEqual([]);
});

browserTest("who may not connect assistants is told why there is no form", async () => {
  const caliban = await aPerson("Caliban", { password, role: "guest" });
  const guestPage = await signedIn(caliban);
  await guestPage.goto(urlOf("#settings/assistants"));
  await guestPage.getByText("your organization does not let you connect assistants").waitFor();
  await guestPage.getByText("No assistant has a key of yours.").waitFor();
  expect(await guestPage.getByRole("button", { name: "Create a key" }).count()).toBe(0);
  expect(consoleErrors).toEqual([]);
});
