import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, expectNoViolations, signedIn, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** Finding everything by its name, with Ctrl+K and in the sidebar's filter: Jessica looks, Lorenzo writes. */

const people = twoPeople(
  { reader: "Jessica", writer: "Lorenzo", channel: "padua" },
  async ({ reader, channel }) => {
    for (const topic of ["Café on the Rialto", "merchant ships", "moonlight"]) await send(topic, "In such a night");
    await reader.do("POST", "/mark_stream_as_read", { stream_id: channel.id });
  },
  { viewport: { width: 1024, height: 700 } },
);
const { send, topicUrl } = actsOf(people);

const field = () => people.page.getByRole("combobox", { name: "Find channels, topics, people and commands" });
const options = () => people.page.getByRole("listbox", { name: "What was found" }).getByRole("option");
const chosen = () => people.page.locator('#palette-items [aria-selected="true"]');

async function open() {
  await people.page.keyboard.press("Control+k");
  await field().waitFor();
}

/** A page of which the code that is loaded on demand arrives when it is told to. */
async function slowPage() {
  // What the service worker asks for is not held up here.
  const page = await signedIn(people.reader, { serviceWorkers: "block" });
  // A conversation needs none of the code that is loaded on demand.
  await page.goto(topicUrl("moonlight", people.channel));
  await page.reload();
  await page.getByRole("heading", { name: /› moonlight$/ }).waitFor();
  const { promise: late, resolve: arrive } = Promise.withResolvers<void>();
  const asked: string[] = [];
  await page.route("**/client/*.js", async (route) => {
    asked.push(route.request().url());
    await late;
    await route.continue();
  });
  return { page, asked, arrive };
}

browserTest("what is typed before the palette's code is there is not lost", async () => {
  const { page, asked, arrive } = await slowPage();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("inb");
  await page.keyboard.press("Enter");
  await expect.poll(() => asked).toEqual([expect.stringContaining("/on-demand-")]);
  await expect.poll(() => page.getByRole("dialog", { name: "Go to" }).getByRole("textbox").inputValue()).toBe("inb");
  arrive();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.context().close();
});

browserTest("what is typed before a dialog's code is there goes into its field, and is for no shortcut", async () => {
  const { page, asked, arrive } = await slowPage();
  const address = page.url();
  const loading = page.getByRole("dialog", { name: "Loading …" });
  await page.keyboard.press("?");
  await loading.waitFor();
  await expectNoViolations(page);
  // It closes the list of shortcuts, and goes nowhere.
  await page.keyboard.press("Escape");
  await loading.waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await page.locator(".message.selected").waitFor();
  await page.keyboard.press("m");
  await page.keyboard.type(" at nigx");
  await page.keyboard.press("Backspace");
  await page.keyboard.type("ht");
  await loading.waitFor();
  expect(asked).toEqual([expect.stringContaining("/on-demand-")]);
  expect(page.url()).toBe(address);
  arrive();
  const topic = page.getByRole("dialog", { name: "Move messages" }).getByRole("textbox", { name: "Topic" });
  await expect.poll(() => topic.inputValue()).toBe("moonlight at night");
  await page.keyboard.type("fall");
  expect(await topic.inputValue()).toBe("moonlight at nightfall");
  await page.context().close();
});

browserTest("Ctrl+K finds topics, channels, people and commands, by keyboard alone", async () => {
  const { page } = people;
  // What was chosen since the page was opened comes first, also in a second attempt.
  await page.goto(urlOf("#inbox"));
  await page.reload();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await open();
  await page.keyboard.type("cafe ria");
  await expect.poll(() => chosen().textContent()).toBe(`Café on the Rialto${people.channel.name}`);
  expect(await field().getAttribute("aria-activedescendant")).toBe(await chosen().getAttribute("id"));
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /› Café on the Rialto$/ }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("messages");

  await open();
  await page.keyboard.type("padu");
  await expect.poll(() => chosen().textContent()).toContain(`${people.channel.name}channel`);
  await page.keyboard.press("ArrowDown");
  // What was chosen before comes before what is newer.
  await expect.poll(() => chosen().textContent()).toContain("Café");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: people.channel.name, level: 1 }).waitFor();

  await open();
  await page.keyboard.type("lorenzo");
  await expect.poll(() => chosen().textContent()).toContain("Lorenzo");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Lorenzo" }).waitFor();

  await open();
  await page.keyboard.type("globe.test");
  await expect.poll(() => options().count()).toBe(0);
  await page.keyboard.press("Escape");

  await open();
  await page.keyboard.type("recent conv");
  await expect.poll(() => chosen().textContent()).toContain("Recent conversations");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
});

browserTest(
  "the palette finds what is nearly spelled so, and shows first what was chosen last, also after a reload",
  async () => {
    const { page } = people;
    const choose = async (typed: string, heading: RegExp | string) => {
      await open();
      await page.keyboard.type(typed);
      await expect.poll(() => options().count()).toBeGreaterThan(0);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: heading }).waitFor();
    };
    // One letter too few, one too many, two exchanged; and beginnings of words.
    await choose("merchnat shps", /› merchant ships$/);
    await choose("moonllight", /› moonlight$/);
    await choose("recconv", "Recent conversations");
    await page.reload();
    await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
    await open();
    const first = async (count: number) => (await options().locator(".grow").allTextContents()).slice(0, count);
    await expect.poll(() => first(3)).toEqual(["Recent conversations", "moonlight", "merchant ships"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /› moonlight$/ }).waitFor();
    // Where one is, one need not go: Enter leads back.
    await open();
    await expect.poll(() => first(2)).toEqual(["Recent conversations", "merchant ships"]);
    await expectNoViolations(page);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Recent conversations" }).waitFor();
  },
);

browserTest("the palette acts on the topic that is shown and on the selected message", async () => {
  const { page, reader, channel } = people;
  await page.goto(urlOf(`#narrow/channel/${channel.id}-x/topic/moonlight`));
  const message = page.locator(".message", { hasText: "In such a night" });
  await message.click({ position: { x: 5, y: 5 } });
  await open();
  await page.keyboard.type("resol");
  await expect.poll(() => chosen().textContent()).toBe("Resolvemoonlight");
  await expectNoViolations(page);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /› ✔ moonlight$/ }).waitFor();
  await open();
  await page.keyboard.type("reopen");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /› moonlight$/ }).waitFor();
  await message.click({ position: { x: 5, y: 5 } });
  await open();
  await page.keyboard.type("remind");
  await expect.poll(() => chosen().textContent()).toBe("Remind methe selected message");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Remind me of this message" }).waitFor();
  await page.keyboard.press("Escape");

  // Where none is shown, nothing can be done with one.
  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await open();
  await page.keyboard.type("remind");
  await page.getByText("Nothing has this name.").waitFor();
  await page.keyboard.press("Escape");
  await reader.do("POST", "/mark_stream_as_read", { stream_id: channel.id });
});

browserTest("a channel comes before newer topics that begin as it does, and people do if they wrote last", async () => {
  const { reader } = people;
  const belmont = await aChannel("belmont", [reader]);
  const topic = `${belmont.name} garden`;
  const nerissa = await aPerson(`${belmont.name} Nerissa`);
  await send(topic, "How sweet the moonlight sleeps upon this bank");
  await open();
  await people.page.keyboard.type(belmont.name);
  const found = () => options().locator(".grow").allTextContents();
  await expect.poll(found).toEqual([belmont.name, topic, nerissa.name]);
  await nerissa.do("POST", "/messages", { type: "direct", to: [reader.id], content: "Your lord is coming home" });
  await expect.poll(found).toEqual([nerissa.name, belmont.name, topic]);
  await people.page.keyboard.press("Escape");
});

browserTest("the palette opens while one is writing, closes by Esc, and returns the focus", async () => {
  const { page } = people;
  await page.goto(urlOf(`#narrow/dm/${people.writer.id}-dm`));
  const box = page.getByLabel("Message", { exact: true });
  await box.fill("The moon shines bright");
  await open();
  await page.keyboard.type("no such thing");
  await page.getByText("Nothing has this name.").waitFor();
  expect(await options().count()).toBe(0);
  await expectNoViolations(page);
  await page.keyboard.press("Escape");
  await field().waitFor({ state: "detached" });
  expect(await box.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await box.inputValue()).toBe("The moon shines bright");
  await box.fill("");
  await page.keyboard.press("Escape");
});

browserTest("the sidebar's filter finds topics, read ones too", async () => {
  const { page } = people;
  const sidebar = page.getByRole("navigation", { name: "Channels and views" });
  await page.keyboard.press("q");
  await page.keyboard.type("merch");
  await sidebar.getByRole("link", { name: "merchant ships" }).waitFor();
  expect(await sidebar.getByRole("link", { name: "moonlight" }).count()).toBe(0);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(page);
  await sidebar.getByRole("link", { name: "merchant ships" }).click();
  await page.getByRole("heading", { name: /› merchant ships$/ }).waitFor();
  expect(consoleErrors).toEqual([]);
});
