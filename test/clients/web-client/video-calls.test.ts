import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";

/** An owner chooses where video calls take place, and people send links to them. */

const people = twoPeople({ reader: "Rosalind", readerRole: "owner", writer: "Celia", channel: "arden" });
const { send, openTopic, field: fieldOf } = actsOf(people);

browserTest("a link to a new call on the organization's server is added to a message", async () => {
  const { page, reader } = people;
  await send("meeting", "I pray thee, coz, be merry");
  const addCall = page.getByRole("button", { name: "Add a video call" });
  const field = fieldOf();
  const provider = page.getByLabel("Video call provider");
  const server = page.getByLabel("Address of the Jitsi Meet server");

  await openTopic("meeting");
  await page.keyboard.press("r");
  await field.waitFor();
  expect(await addCall.count()).toBe(0);
  try {
    await page.goto(urlOf("/#organization/settings"));
    await provider.selectOption("Jitsi Meet");
    expect(await server.getAttribute("placeholder")).toMatch(/^https:/);
    await server.fill("https://calls.arden.test/");
    await page.locator("form", { has: server }).getByRole("button", { name: "Save" }).click();
    await expect
      .poll(async () => (await reader.do("POST", "/register", { event_types: ["realm"] })).realm_jitsi_server_url)
      .toBe("https://calls.arden.test/");

    await openTopic("meeting");
    await page.keyboard.press("r");
    await field.fill("Now: ");
    await addCall.click();
    await expect
      .poll(() => field.inputValue())
      .toMatch(/^Now: \[Join the video call\.\]\(https:\/\/calls\.arden\.test\/[-0-9a-f]{36}\)$/);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("link", { name: "Join the video call." }).waitFor();

    // An empty address is that of the server of Jitsi again.
    await page.goto(urlOf("/#organization/settings"));
    await server.fill("");
    await page.locator("form", { has: server }).getByRole("button", { name: "Save" }).click();
    await expect
      .poll(async () => (await reader.do("POST", "/register", { event_types: ["realm"] })).realm_jitsi_server_url)
      .toBe(null);
  } finally {
    await reader.do("PATCH", "/realm", { video_chat_provider: 0, jitsi_server_url: "default" });
  }
  expect(consoleErrors).toEqual([]);
});
