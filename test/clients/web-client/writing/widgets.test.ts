import { expect } from "vitest";
import { browserTest } from "../../../support/browser/browser-test.ts";
import { consoleErrors, urlOf } from "../../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../../support/browser/two-people.ts";

/** Polls, to-do lists and reminders: Titania asks and is reminded, Oberon votes. */

const people = twoPeople({ reader: "Titania", writer: "Oberon", channel: "fairyland" }, undefined, {
  viewport: { width: 1280, height: 800 },
});
const { openTopic, field, row, send } = actsOf(people);
const dialog = () => people.page.getByRole("dialog");
const button = (name: string) => people.page.getByRole("button", { name, exact: true });
const item = (name: string) => people.page.getByRole("menuitem", { name, exact: true });

async function openNew(kind: "Poll" | "To-do list") {
  await button("Poll or to-do list").click();
  await item(kind).click();
  await dialog().waitFor();
}

/** The message in which the reader finds a widget. */
const idOf = async (heading: string) =>
  Number(
    await people.page
      .locator(".message:not(.outgoing)", { has: people.page.getByRole("heading", { name: heading, exact: true }) })
      .getAttribute("data-message-id"),
  );

browserTest("a poll is made in a dialog, others vote and add options, and the text in the box stays", async () => {
  const { page, writer } = people;
  await openTopic("ball");
  await field().fill("Ill met by moonlight");
  await openNew("Poll");
  expect(await button("Send the poll").isDisabled()).toBe(true);
  await page.getByLabel("Question").fill("Where do we dance?");
  for (const [index, option] of ["The wood", "- 3 miles off", "Athens", "Nowhere"].entries())
    await page.getByLabel(`Option ${index + 1}`).fill(option);
  // What is written outlives the dialog and the page, until it is sent or cancelled.
  await page.keyboard.press("Escape");
  await dialog().waitFor({ state: "detached" });
  await page.reload();
  await button("Your account").click();
  await item("Sign out").click();
  await dialog().getByText("Where do we dance?").waitFor();
  await button("Cancel").click();
  await openNew("Poll");
  expect(await page.getByLabel("Question").inputValue()).toBe("Where do we dance?");
  expect(await page.getByLabel("Option 4").inputValue()).toBe("Nowhere");
  await button("Send the poll").click();
  await page.getByRole("heading", { name: "Where do we dance?" }).waitFor();
  await openNew("Poll");
  expect(await dialog().getByLabel("Question").inputValue()).toBe("");
  await dialog().getByLabel("Question").fill("Where else?");
  await button("Cancel").click();
  await openNew("Poll");
  expect(await dialog().getByLabel("Question").inputValue()).toBe("");
  await button("Cancel").click();
  expect(await field().inputValue()).toBe("Ill met by moonlight");
  await field().fill("");

  const id = await idOf("Where do we dance?");
  await row(id).getByRole("button", { name: "Edit the question" }).click();
  await dialog().getByLabel("Question").fill("Where shall we dance?");
  await button("Save").click();
  await row(id).getByRole("heading", { name: "Where shall we dance?" }).waitFor();
  await dialog().waitFor({ state: "detached" });
  expect(await row(id).locator(".poll li > span[dir]").allTextContents()).toEqual([
    ...["The wood", "- 3 miles off", "Athens", "Nowhere"],
  ]);
  await row(id).getByRole("button", { name: "Vote for Athens: 0 so far" }).click();
  const vote = { type: "vote", key: "canned,2", vote: 1 };
  await writer.do("POST", "/submessage", { message_id: id, msg_type: "widget", content: JSON.stringify(vote) });
  await row(id).getByRole("button", { name: "Vote for Athens: 2 so far", pressed: true }).waitFor();
  await row(id).getByLabel("New option").fill("The beach");
  await openTopic("elsewhere");
  await openTopic("ball");
  await row(id).getByLabel("New option").press("Enter");
  await row(id).getByText("The beach").waitFor();
  await row(id).getByLabel("New option").fill("Athens");
  await page.keyboard.press("Enter");
  await page.getByText("That is already in the list.").waitFor();
  expect(consoleErrors).toEqual([]);
});

browserTest("a to-do list is made in a dialog, and anybody ticks tasks off and adds some", async () => {
  const { page, writer } = people;
  await openTopic("chores");
  await field().waitFor();
  await openNew("To-do list");
  await page.getByLabel("Title").fill("Before the wedding");
  await page.getByLabel("Task 1", { exact: true }).fill("Fetch the flower");
  await page.getByLabel("Description of task 1").fill("love-in-idleness");
  await page.getByLabel("Task 2", { exact: true }).fill("Sing");
  await page.getByLabel("Task 3", { exact: true }).waitFor();
  await button("Send the to-do list").click();
  await page.getByRole("heading", { name: "Before the wedding" }).waitFor();

  const id = await idOf("Before the wedding");
  await row(id).getByRole("button", { name: "Edit the title" }).click();
  await dialog().getByLabel("Title").fill("Before the revels");
  await page.keyboard.press("Enter");
  await row(id).getByRole("heading", { name: "Before the revels" }).waitFor();
  await dialog().waitFor({ state: "detached" });
  const flower = row(id).getByRole("checkbox", { name: "Fetch the flower love-in-idleness" });
  await flower.click();
  await expect.poll(() => flower.isChecked()).toBe(true);
  const add = (content: object) =>
    writer.do("POST", "/submessage", { message_id: id, msg_type: "widget", content: JSON.stringify(content) });
  await add({ type: "new_task", key: 2, task: "Sleep", desc: "", completed: false });
  await add({ type: "strike", key: `2,${writer.id}` });
  await add({ type: "strike", key: "0,canned" });
  await expect.poll(() => row(id).getByRole("checkbox", { name: "Sleep" }).isChecked()).toBe(true);
  await expect.poll(() => flower.isChecked()).toBe(false);
  await row(id).getByLabel("New task").fill("Wake");
  await page.keyboard.press("Enter");
  await row(id).getByRole("checkbox", { name: "Wake" }).click();
  await expect.poll(() => row(id).getByRole("checkbox", { name: "Wake" }).isChecked()).toBe(true);
  expect(consoleErrors).toEqual([]);
});

browserTest("one is reminded of a message at a time that one chooses in one's own clock", async () => {
  const { page, reader, writer } = people;
  await reader.do("PATCH", "/settings", { twenty_four_hour_time: false });
  const id = await send("vows", "The course of true love");
  await openTopic("vows");
  await row(id).focus();
  await page.keyboard.press("i");
  await item("Remind me").click();
  await dialog().getByLabel("Note (optional)").fill("Answer him");
  await dialog()
    .getByRole("button", { name: /^Tomorrow morning, 9:00.AM$/ })
    .waitFor();
  await dialog().getByLabel("Day", { exact: true }).fill("2099-06-24");
  await dialog().getByLabel("AM or PM").selectOption("PM");
  await dialog().getByLabel("Hour").selectOption("11");
  await dialog().getByLabel("Minute").selectOption("35");
  await dialog()
    .getByText(/June 24, 2099 at 11:35.PM/)
    .waitFor();
  // The clock of the setting, not that of the browser.
  await reader.do("PATCH", "/settings", { twenty_four_hour_time: true });
  await dialog().getByText("June 24, 2099 at 23:35").waitFor();
  expect(await dialog().getByLabel("Hour").inputValue()).toBe("23");
  await dialog().getByLabel("Hour").selectOption("08");
  // Two clicks make one reminder.
  await button("Choose this time").evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });
  await page.getByText("You will be reminded Wednesday, June 24, 2099 at 08:35.").waitFor();
  await button("Show").click();
  const card = page.locator(".cards li", { hasText: "Answer him" });
  await card.getByText("The course of true love").waitFor();
  await card.getByRole("button", { name: "Show the message" }).click();
  await row(id).waitFor();
  const { reminders } = await reader.do("GET", "/reminders");
  const at = await page.evaluate(() => new Date(2099, 5, 24, 8, 35).getTime() / 1000);
  expect(reminders).toMatchObject([{ reminder_target_message_id: id, scheduled_delivery_timestamp: at }]);

  await writer.do("PATCH", `/messages/${id}`, { content: "Never did run smooth" });
  await page.goto(urlOf("#scheduled"));
  await card.getByText("Never did run smooth").waitFor();
  expect(await card.getByText("The course of true love").count()).toBe(0);
  await card.getByRole("button", { name: "Delete" }).click();
  await dialog().getByRole("button", { name: "Delete" }).click();
  await card.waitFor({ state: "detached" });
  expect((await reader.do("GET", "/reminders")).reminders).toEqual([]);
  expect(consoleErrors).toEqual([]);
});

browserTest("a message is not scheduled for a time that is past", async () => {
  const { page, reader } = people;
  await openTopic("night");
  await field().fill("Now, until the break of day");
  await button("Send later").click();
  const today = await page.evaluate(() => new Date().toLocaleDateString("sv"));
  await dialog().getByLabel("Day", { exact: true }).fill(today);
  await dialog().getByLabel("Hour").selectOption("00");
  await dialog().getByLabel("Minute").selectOption("00");
  await button("Choose this time").click();
  await dialog().getByText("That time has passed.").waitFor();
  await dialog().getByLabel("Day", { exact: true }).fill("2099-01-01");
  await button("Choose this time").click();
  await page.getByText(/^It will be sent Thursday, January 1, 2099/).waitFor();
  expect(await field().inputValue()).toBe("");
  expect((await reader.do("GET", "/scheduled_messages")).scheduled_messages).toHaveLength(1);
  expect(consoleErrors).toEqual([]);
});
