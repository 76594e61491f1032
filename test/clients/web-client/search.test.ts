import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, expectNoViolations, urlOf } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { unique } from "../../support/unique.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** Searching in the web client: Touchstone looks, Audrey writes. */

const people = twoPeople({ reader: "Touchstone", writer: "Audrey", channel: "forest" });
const { send, row } = actsOf(people);
const word = unique("shepherd").replaceAll(/\W/g, "");

const field = () => people.page.getByRole("combobox", { name: "Search messages" });
const suggestion = (text: string) => people.page.getByRole("listbox", { name: "Search suggestions" }).getByText(text);
browserTest("matches are marked, the box and the address hold the search, and going back shows it again", async () => {
  const { page } = people;
  const id = await send("life of a", `This ${word}'s life, **${word}**`);
  await send("court", `No ${word} here`);
  await page.keyboard.press("/");
  await field().fill(`channel:"${people.channel.name}" topic:life`);
  await suggestion('topic:"life of a"').click();
  await page.keyboard.type(word);
  const query = `channel:"${people.channel.name}" topic:"life of a" ${word}`;
  expect(await field().inputValue()).toBe(query);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  await row(id).waitFor();
  expect(await row(id).locator(".highlight").allTextContents()).toEqual([word, word]);
  expect(await page.locator(".message").count()).toBe(1);
  // Results are shown under their channel and topic, in which matches are marked, too.
  expect(await page.locator("h2.recipient").textContent()).toContain(people.channel.name);
  expect(await page.locator("h2.recipient .highlight").count()).toBe(0);
  expect(await field().inputValue()).toBe(query);
  await expectNoViolations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(page);

  // The marks of a message that is edited are gone: they are in a text that is no longer there.
  await people.writer.do("PATCH", `/messages/${id}`, { content: `Another ${word}` });
  await row(id).getByText(`Another ${word}`).waitFor();
  expect(await row(id).locator(".highlight").count()).toBe(0);

  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await expect.poll(() => field().inputValue()).toBe("");
  await page.goBack();
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  await expect.poll(() => field().inputValue()).toBe(query);
});

browserTest("a search of direct messages by address shows them", async () => {
  const { page } = people;
  await people.writer.do("POST", "/messages", { type: "direct", to: [people.reader.id], content: `I am ${word}` });
  await page.keyboard.press("/");
  // People are found by name before they are found by what addresses have in common; "from" is another word for "sender".
  await field().fill("from:aud");
  await suggestion(`from:${people.writer.email}`).click();
  await page.keyboard.type(word);
  await page.keyboard.press("Enter");
  await page.locator(".message .highlight", { hasText: word }).first().waitFor();
  expect(await field().inputValue()).toBe(`sender:${people.writer.email} ${word}`);
  await page.keyboard.press("/");
  await field().fill(`dm:${people.writer.email} ${word}`);
  await page.keyboard.press("Enter");
  await page.locator(".message .highlight", { hasText: word }).waitFor();
  expect(await field().inputValue()).toBe(`dm:${people.writer.email} ${word}`);
});

browserTest(
  "Enter takes the first suggestion for a value that is not complete, and searches for a complete one",
  async () => {
    const { page, channel } = people;
    const topic = unique("clown").replaceAll(/\W/g, "");
    const id = await send(topic, `A ${word} out of season`);
    await page.goto(urlOf("#inbox"));
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.keyboard.press("/");
    await field().fill(`channel:"${channel.name.slice(0, -1)}`);
    await page.keyboard.press("Enter");
    await expect.poll(() => field().inputValue()).toBe(`channel:"${channel.name}" `);
    await page.keyboard.type(`topic:${topic.slice(0, -1)}`);
    await suggestion(`topic:${topic}`).waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => field().inputValue()).toBe(`channel:"${channel.name}" topic:${topic} `);
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Enter");
    await row(id).waitFor();
    await page.getByRole("heading", { name: new RegExp(`${topic}$`) }).waitFor();
  },
);

browserTest("Enter searches for a complete value although others contain it", async () => {
  const { page, reader, channel } = people;
  const topic = unique("release").replaceAll(/\W/g, "");
  const id = await send(topic, `A ${word}'s release`);
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await send(`${topic}-${number}`, "Another");
  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  const suggestions = page.getByRole("listbox", { name: "Search suggestions" }).getByRole("option");
  const firstSuggestion = () => suggestions.first().locator("strong").textContent();
  const search = `channel:"${channel.name}" topic:${topic}`;
  await field().fill(search);
  await suggestion(`topic:${topic}-8`).waitFor();
  await expect.poll(firstSuggestion).toBe(`topic:${topic} `);
  await page.keyboard.press("Enter");
  await row(id).waitFor();
  await page.getByRole("heading", { name: new RegExp(`› ${topic}$`) }).waitFor();

  // A topic of a channel whose topics the page does not know may be meant.
  await field().fill(`topic:${topic.slice(0, -1)}`);
  await suggestion(`topic:${topic}-8`).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  expect(await field().inputValue()).toBe(`topic:${topic.slice(0, -1)}`);

  // An archived channel is not suggested.
  const design = await aChannel("design", [reader]);
  await aChannel("design-system", [reader], { name: `${design.name}-system` });
  await (await aPerson("Corin", { role: "owner" })).do("DELETE", `/streams/${design.id}`);
  await page.reload();
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  await field().fill(`channel:"${design.name}`);
  await expect.poll(firstSuggestion).toBe(`channel:"${design.name}-system" `);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: design.name, exact: true }).waitFor();
});

browserTest("near: begins at a message", async () => {
  const { page } = people;
  const topic = unique("calendar");
  const id = await send(topic, `Marry, ${word} in June`);
  await page.keyboard.press("/");
  await field().fill(`channel:"${people.channel.name}" topic:"${topic}" near:${id}`);
  await page.keyboard.press("Enter");
  await row(id).waitFor();
  await expect.poll(() => page.url()).toContain(`/near/${id}`);
  await expect.poll(() => page.locator(".message.selected").getAttribute("data-message-id")).toBe(String(id));
  await page.keyboard.press("/");
  await field().fill("near:");
  await suggestion(`near:${id}`).click();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Search results" }).waitFor();
  await row(id).waitFor();
  expect(await field().inputValue()).toBe(`in:all near:${id}`);
  expect(consoleErrors).toEqual([]);
});

browserTest("dates and names are suggested, and find what was sent then and by whom", async () => {
  const { page, reader, channel } = people;
  const topic = unique("almanac").replaceAll(/\W/g, "");
  const id = await send(topic, `The ides of ${word}`);
  await page.goto(urlOf("#inbox"));
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.keyboard.press("/");
  await field().fill(`${word} since:`);
  await page.getByText("They begin and end in your time zone.").waitFor();
  await expectNoViolations(page);
  const today = await page.evaluate(() => {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()]
      .map((part) => String(part).padStart(2, "0"))
      .join("-");
  });
  await field().fill(`${word} topic:${topic} date:tod`);
  await page.keyboard.press("Enter");
  await expect.poll(() => field().inputValue()).toBe(`${word} topic:${topic} date:${today} `);
  await page.keyboard.press("Enter");
  await row(id).waitFor();
  await expect.poll(() => decodeURIComponent(page.url())).toContain(`/date/${today}`);
  await page.keyboard.press("/");
  await field().fill(`${topic.slice(0, -2)}`);
  await page.keyboard.press("Enter");
  await row(id).waitFor();
  expect(await page.locator("h2.recipient .highlight").first().textContent()).toBe(topic.slice(0, -2));

  // Two people of one name are told apart by their addresses.
  const name = unique("Corin");
  const [corin, other] = [await aPerson(name), await aPerson(name)];
  const letter = await corin.do("POST", "/messages", {
    type: "direct",
    to: [reader.id],
    content: "Sir, I am a true labourer",
  });
  await page.keyboard.press("/");
  await field().fill(`sender:"${name}"`);
  await page.getByText("Several people have this name.").waitFor();
  await suggestion(other.email).waitFor();
  await suggestion(corin.email).click();
  await page.keyboard.type("after:2001");
  await page.keyboard.press("Enter");
  await row(letter.id).waitFor();
  expect(await field().inputValue()).toBe(`sender:${corin.email} after:2001`);
  await page.keyboard.press("/");
  await field().fill(`channel:"${channel.name}" near:${today}`);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toMatch(/near\/\d+$/);
  expect(consoleErrors).toEqual([]);
});

browserTest("a search that finds nothing says what its words find, and how to search exactly", async () => {
  const { page } = people;
  const topic = unique("lost").replaceAll(/\W/g, "");
  const id = await send(topic, `Nothing but ${word}${topic}`);
  await page.keyboard.press("/");
  await field().fill(`${word}${topic} unheardofword`);
  await page.keyboard.press("Enter");
  await page.getByText("Nothing was found.").waitFor();
  const hint = page.locator(".search-hint");
  await hint.getByText("unheardofword: 0 messages").waitFor();
  await expectNoViolations(page);
  await hint.getByRole("link", { name: `${word}${topic}` }).click();
  await row(id).waitFor();
  expect(consoleErrors).toEqual([]);
});
