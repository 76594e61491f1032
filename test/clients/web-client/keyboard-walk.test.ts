import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { expectNoViolations } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";

/** A list of messages by keyboard alone: Miranda reads, Ferdinand writes. */

const people = twoPeople({ reader: "Miranda", writer: "Ferdinand", channel: "island" });
const { send, row, focused, openTopic } = actsOf(people);
const press = (key: string) => people.page.keyboard.press(key);

/** Presses a key until what has the focus is called so. */
async function pressUntil(key: string, name: RegExp, most = 60) {
  const seen: string[] = [];
  for (let count = 0; count < most; count++) {
    await press(key);
    const label = await focused();
    if (name.test(label)) return;
    seen.push(label);
  }
  throw new Error(`${key} did not lead to ${name}, but to ${seen.join(" | ")}`);
}
const hasFocus = (id: number) => row(id).evaluate((element) => element === document.activeElement);
const expectFocus = (name: RegExp) => expect.poll(focused).toMatch(name);

browserTest("a list of messages is one Tab stop, with a toolbar for the selected message", async () => {
  const { page } = people;
  const first = await send("tempest", "I have [done nothing](https://globe.test) but in care of thee");
  const second = await send("tempest", "More to know did never meddle with my thoughts");
  await openTopic("tempest");
  await row(second).waitFor();
  // Nothing but the list itself is reachable before a message is selected.
  await expectFocus(/^messages$/);
  await press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest(".message"))).toBe(null);
  await press("Shift+Tab");
  await expectFocus(/^messages$/);

  await press("ArrowDown");
  await expect.poll(() => hasFocus(first)).toBe(true);
  const inMessage: string[] = [];
  for (
    await press("Tab");
    await page.evaluate(() => document.activeElement?.closest(".message") != null);
    await press("Tab")
  )
    inMessage.push(`${await focused()}`);
  expect(inMessage.map((label) => label.replace(/^\d.*M$/, "the time"))).toEqual([
    "Ferdinand",
    "the time",
    "done nothing",
    expect.stringMatching(/^React with/),
  ]);
  await press("Shift+Tab");
  await expectFocus(/^React with/);
  await pressUntil("ArrowRight", /^Star$/);
  await press("Enter");
  await expectFocus(/^Remove star$/);
  await press("End");
  await press("Enter");
  await press("ArrowDown");
  await press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await expectFocus(/^More$/);
  await press("Enter");
  await page.getByRole("menuitem", { name: "Move" }).press("Enter");
  await page.getByRole("dialog", { name: "Move messages" }).waitFor();
  await press("Escape");
  await expectFocus(/^More$/);
  // Tab comes back to the button that was left.
  await press("Tab");
  await press("Shift+Tab");
  await expectFocus(/^More$/);
  await press("Escape");
  await expect.poll(() => hasFocus(first)).toBe(true);
  await press("ArrowDown");
  await expect.poll(() => hasFocus(second)).toBe(true);
  await expectNoViolations(page);
});
