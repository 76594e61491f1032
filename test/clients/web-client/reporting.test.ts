import { expect } from "vitest";
import { browserTest } from "../../support/browser/browser-test.ts";
import { consoleErrors, expectNoViolations } from "../../support/browser/client-pages.ts";
import { actsOf, twoPeople } from "../../support/browser/two-people.ts";
import { aChannel, aPerson } from "../../support/world.ts";

/** Reporting a message to the moderators: Hero reads what Claudio writes, Leonato owns the organization. */

const people = twoPeople({ reader: "Hero", writer: "Claudio", channel: "messina" });
const { send, openTopic, row } = actsOf(people);

browserTest("a message is reported to where the organization receives reports", async () => {
  const { page, reader } = people;
  const leonato = await aPerson("Leonato", { role: "owner" });
  const reports = await aChannel("justice", [leonato]);
  const id = await send("wedding", "Give not this rotten orange to your friend");
  const own = (
    await reader.do("POST", "/messages", { type: "channel", to: people.channel.id, topic: "wedding", content: "O" })
  ).id;
  const menuOf = async (message: number) => {
    await row(message).focus();
    await page.keyboard.press("i");
    await page.getByRole("menuitem", { name: "Copy link" }).waitFor();
  };
  const report = page.getByRole("menuitem", { name: "Report" });
  const dialog = page.getByRole("dialog", { name: "Report this message" });
  const submit = dialog.getByRole("button", { name: "Report" });

  // Nobody receives reports at first.
  await openTopic("wedding");
  await menuOf(id);
  expect(await report.count()).toBe(0);
  await page.keyboard.press("Escape");
  await leonato.do("PATCH", "/realm", { moderation_request_channel_id: reports.id });
  try {
    await expect
      .poll(async () => {
        await menuOf(id);
        const count = await report.count();
        await page.keyboard.press("Escape");
        return count;
      })
      .toBe(1);
    await menuOf(own);
    expect(await report.count()).toBe(0);
    await page.keyboard.press("Escape");

    await menuOf(id);
    await report.click();
    await expectNoViolations(page);
    await dialog.getByLabel("Why").selectOption("Other reason");
    // This reason has to be explained.
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByLabel("What's wrong with it").fill("She is wronged");
    await submit.click();
    await page.getByText("The message was reported to the moderators.").waitFor();
    const { messages } = await leonato.do("GET", "/messages", {
      ...{ anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false },
      narrow: [{ operator: "channel", operand: reports.id }],
    });
    for (const part of ["rotten orange", "She is wronged", "Other reason", `/near/${id}`])
      expect(messages[0].content).toContain(part);
  } finally {
    await leonato.do("PATCH", "/realm", { moderation_request_channel_id: -1 });
  }
  expect(consoleErrors).toEqual([]);
});
