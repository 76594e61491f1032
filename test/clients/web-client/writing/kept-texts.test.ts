import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../../shared/store/channels/channels.ts";
import { browserTest } from "../../../support/browser/browser-test.ts";
import {
  consoleErrors,
  expectNoViolations,
  password,
  signedIn,
  urlOf,
  withBrowser,
} from "../../../support/browser/client-pages.ts";
import { unique } from "../../../support/unique.ts";
import { aChannel, aPerson, type Person } from "../../../support/world.ts";

/** What is typed is kept, whatever becomes of the place where it was typed: Viola writes, Orsino changes what is around her. */

let [viola, orsino]: Person[] = [];
let court: Channel;
let page: Page;

withBrowser(async () => {
  [viola, orsino] = [await aPerson("Viola", { password }), await aPerson("Orsino", { role: "administrator" })];
  court = await aChannel("court", [viola, orsino]);
  page = await signedIn(viola as Person, { viewport: { width: 1280, height: 800 } });
});

const by = (person: Person | undefined) => person as Person;
const field = (of = page) => of.getByLabel("Message", { exact: true });
const editor = (of = page) => of.getByLabel("Text of the message", { exact: true });
const message = (text: string, of = page) => of.locator(".message:not(.outgoing)", { hasText: text });
const draft = (text: string, of = page) => of.locator(".cards > li", { hasText: text });
const save = (of = page) => of.getByRole("button", { name: "Save", exact: true });

async function openTopic(topic: string, of = page) {
  await of.goto(urlOf(`#narrow/channel/${court.id}-x/topic/${topic}`));
  await of.getByRole("heading", { name: new RegExp(`${topic}$`) }).waitFor();
}

const send = async (topic: string, content: string, sender = viola): Promise<number> =>
  (await by(sender).do("POST", "/messages", { type: "channel", to: court.id, topic, content })).id;
const markdownOf = async (id: number): Promise<string> =>
  (await by(viola).do("GET", `/messages/${id}`, { apply_markdown: false })).message.content;

/** Opens the editor of the newest own message of the topic that is shown. */
async function editLast(of = page) {
  await field(of).press("ArrowUp");
  await editor(of).waitFor();
}

browserTest("no limit cuts a text: beyond it nothing is sent, saved or scheduled, and a file can be", async () => {
  await openTopic("willow");
  const sendButton = page.getByRole("button", { name: "Send", exact: true });
  // Each is one character of two UTF-16 units.
  await field().fill("𝒙".repeat(9_990));
  await page.getByText("10 characters left").waitFor();
  expect(await sendButton.isEnabled()).toBe(true);
  const long = `${"𝒙".repeat(10_000)}ends here`;
  await field().fill(long);
  await page.getByText("9 characters too many").waitFor();
  expect(await sendButton.isDisabled()).toBe(true);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: "Send later" }).click();
  await page.getByText("The message is too long.").waitFor();
  expect(await field().inputValue()).toBe(long);
  await expectNoViolations(page);
  await page.getByRole("button", { name: "Send as a file" }).click();
  const link = message("message.txt").locator('a[href*="/user_uploads/"]').first();
  await link.waitFor();
  const text = await page.evaluate(
    async (href) => (await fetch(href as string)).text(),
    await link.getAttribute("href"),
  );
  expect(text).toBe(long);

  // A long draft is kept in full, in this browser.
  await field().fill(long);
  await page.goto(urlOf("#drafts"));
  await draft("ends here").getByText("Only in this browser").waitFor();
  await page.reload();
  await draft("ends here").getByRole("button", { name: "Keep writing" }).click();
  expect(await field().inputValue()).toBe(long);
  await field().fill("");

  const id = await send("willow", "Make me a willow cabin");
  await message("willow cabin").waitFor();
  await editLast();
  await editor().fill(long);
  expect(await save().isDisabled()).toBe(true);
  await page.keyboard.press("Control+Enter");
  expect(await editor().inputValue()).toBe(long);
  expect(await markdownOf(id)).toBe("Make me a willow cabin");
  await editor().fill(`${"𝒙".repeat(9_991)}ends here`);
  await save().click();
  await expect.poll(() => markdownOf(id)).toBe(`${"𝒙".repeat(9_991)}ends here`);
  await editor().waitFor({ state: "detached" });

  // Names, too.
  await page.goto(urlOf("#channels"));
  await page.getByRole("button", { name: "Create a channel" }).click();
  const name = page.getByRole("dialog").getByLabel("Name", { exact: true });
  await name.fill("𝒙".repeat(61));
  await page.getByText("1 character too many").waitFor();
  expect(await page.getByRole("button", { name: "Create", exact: true }).isDisabled()).toBe(true);
  expect(await name.inputValue()).toBe("𝒙".repeat(61));
  await name.fill("𝒙".repeat(60));
  expect(await page.getByRole("button", { name: "Create", exact: true }).isEnabled()).toBe(true);
  await page.keyboard.press("Escape");
});

browserTest("an edit whose message is deleted becomes a draft, also if nobody saw that it was deleted", async () => {
  const notice = page.getByText("The message that you were editing is gone.");
  await openTopic("shipwreck");
  const id = await send("shipwreck", "What country, friends, is this?");
  await message("What country").waitFor();
  await editLast();
  await editor().fill("What country, friends, is this? And what should I do in it?");
  await by(orsino).do("DELETE", `/messages/${id}`);
  await notice.waitFor();
  await page.getByRole("button", { name: "Keep writing" }).click();
  await expect.poll(() => field().inputValue()).toBe("What country, friends, is this? And what should I do in it?");
  await page.keyboard.press("Control+Enter");
  await message("And what should I do in it?").waitFor();

  // What was not changed leaves nothing behind.
  const unchanged = await send("shipwreck", "Perchance he is not drowned");
  await message("not drowned").waitFor();
  await editLast();
  await by(orsino).do("DELETE", `/messages/${unchanged}`);
  await editor().waitFor({ state: "detached" });

  const missed = await send("shipwreck", "O my poor brother");
  await message("poor brother").waitFor();
  await editLast();
  await editor().fill("O my poor brother! and so perchance may he be");
  await page.goto("about:blank");
  await by(orsino).do("DELETE", `/messages/${missed}`);
  await page.goto(urlOf("/#drafts"));
  await notice.waitFor();
  await draft("perchance may he be").getByRole("button", { name: "Keep writing" }).click();
  await page.getByRole("heading", { name: /shipwreck$/ }).waitFor();
  expect(await field().inputValue()).toBe("O my poor brother! and so perchance may he be");
  await field().fill("");
});

browserTest("an edit is among the drafts, and is found where its message was moved", async () => {
  await openTopic("letter");
  const id = await send("letter", "By my life");
  await message("By my life").waitFor();
  await editLast();
  await editor().fill("By my life, this is my lady's hand");
  const move = { topic: "garden", propagate_mode: "change_one", send_notification_to_new_thread: false };
  await by(orsino).do("PATCH", `/messages/${id}`, move);
  await page.getByText("The message that you are editing was moved.").waitFor();
  await page.goto(urlOf("#drafts"));
  await draft("my lady's hand").getByText("Edit of a message").waitFor();
  await page.getByRole("link", { name: /^Drafts \(/ }).waitFor();
  await expectNoViolations(page);
  await draft("my lady's hand").getByRole("button", { name: "Keep writing" }).click();
  await page.getByRole("heading", { name: /garden$/ }).waitFor();
  expect(await editor().inputValue()).toBe("By my life, this is my lady's hand");
  await save().click();
  await message("my lady's hand").waitFor();
  expect(await markdownOf(id)).toBe("By my life, this is my lady's hand");
});

browserTest("a draft whose channel is gone is still there, and can be sent elsewhere", async () => {
  const cellar = await aChannel("cellar", [by(viola), by(orsino)], { inviteOnly: true });
  await page.goto(urlOf(`#narrow/channel/${cellar.id}-x/topic/darkness`));
  await page.getByRole("heading", { name: /darkness$/ }).waitFor();
  await field().fill("They have laid me here in hideous darkness");
  await by(orsino).do("DELETE", "/users/me/subscriptions", {
    subscriptions: [cellar.name],
    principals: [by(viola).id],
  });
  const gone = page.locator(".toast", { hasText: `The channel ${cellar.name} is gone.` });
  await gone.getByRole("button", { name: "Show", exact: true }).click();
  await draft("hideous darkness").getByRole("button", { name: "Keep writing" }).click();
  expect(await field().inputValue()).toBe("They have laid me here in hideous darkness");
  await page.getByRole("combobox", { name: "Channel" }).fill(court.name);
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Topic" }).fill("darkness");
  await field().press("Control+Enter");
  await page.getByRole("heading", { name: `${court.name} › darkness` }).waitFor();
  await message("hideous darkness").waitFor();
});

browserTest("a scheduled message stays scheduled until its new text is saved, and its text outlives it", async () => {
  const inADay = Math.floor(Date.now() / 1000) + 86_400;
  const content = unique("youth");
  const scheduling = { type: "channel", to: court.id, topic: "song", content, scheduled_delivery_timestamp: inADay };
  const { scheduled_message_id: id } = await by(viola).do("POST", "/scheduled_messages", scheduling);
  const scheduled = async () =>
    (await by(viola).do("GET", "/scheduled_messages")).scheduled_messages.map(({ content: text }: any) => text);
  const text = page.getByLabel("Text of the scheduled message");
  await page.goto(urlOf("#scheduled"));
  const card = page.locator(".cards > li", { has: page.locator("time") }).first();
  await card.getByRole("button", { name: "Edit", exact: true }).click();
  await text.fill("Youth's a stuff will not endure");
  expect(await scheduled()).toEqual([content]);
  await page.reload();
  await expect.poll(() => text.inputValue()).toBe("Youth's a stuff will not endure");
  await expectNoViolations(page);
  // Somebody changes it elsewhere meanwhile.
  await by(viola).do("PATCH", `/scheduled_messages/${id}`, { content: "In delay there lies no plenty" });
  await expect.poll(scheduled).toEqual(["In delay there lies no plenty"]);
  await save().click();
  await page.getByRole("alert").getByText("In delay there lies no plenty").waitFor();
  await save().click();
  await expect.poll(scheduled).toEqual(["Youth's a stuff will not endure"]);
  await text.waitFor({ state: "detached" });

  await card.getByRole("button", { name: "Edit", exact: true }).click();
  await text.fill("Then come kiss me, sweet and twenty");
  await by(viola).do("DELETE", `/scheduled_messages/${id}`);
  await page.getByText("was sent or deleted. Your text is a draft now.").waitFor();
  await page.getByRole("button", { name: "Keep writing" }).click();
  await page.getByRole("heading", { name: /song$/ }).waitFor();
  expect(await field().inputValue()).toBe("Then come kiss me, sweet and twenty");
  await field().fill("");
});

browserTest("what the server has saved or scheduled is not kept as well, although its reply was lost", async () => {
  /** Lets the next request arrive, and its reply not. */
  const loseReply = (to: string, method: string) =>
    page.route(
      to,
      async (route) => {
        if (route.request().method() !== method) return route.fallback();
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
  await openTopic("sonnet");
  const id = await send("sonnet", "If music be the food of love");
  await message("food of love").waitFor();
  await editLast();
  await editor().fill("If music be the food of love, play on");
  await loseReply("**/api/v1/messages/*", "PATCH");
  await save().click();
  await expect.poll(() => markdownOf(id)).toBe("If music be the food of love, play on");
  // What is typed after it is kept, and replaces no other text.
  await editor().press("Control+End");
  await page.keyboard.type("; give me excess of it");
  await page.reload();
  await expect.poll(() => editor().inputValue()).toBe("If music be the food of love, play on; give me excess of it");
  await save().click();
  await editor().waitFor({ state: "detached" });
  expect(await markdownOf(id)).toBe("If music be the food of love, play on; give me excess of it");

  await editLast();
  await editor().fill("Enough; no more");
  await loseReply("**/api/v1/messages/*", "PATCH");
  await page.route("**/api/v1/events?*", (route) => route.abort());
  await save().click();
  await expect.poll(() => markdownOf(id)).toBe("Enough; no more");
  await page.unroute("**/api/v1/events?*");
  await page.reload();
  await message("Enough; no more").waitFor();
  await editor().waitFor({ state: "detached" });

  await field().fill("'Tis not so sweet now as it was before");
  await loseReply("**/api/v1/scheduled_messages", "POST");
  await page.getByRole("button", { name: "Send later" }).click();
  await page.getByRole("button", { name: "Tomorrow morning" }).click();
  await expect.poll(() => field().inputValue()).toBe("");
  await page.goto(urlOf("#drafts"));
  await page.getByRole("heading", { name: "Drafts" }).waitFor();
  expect(await draft("so sweet now").count()).toBe(0);
  await page.goto(urlOf("#scheduled"));
  // Without the notices of the failed requests.
  await page.reload();
  await page.locator(".cards > li", { hasText: "so sweet now" }).waitFor();
  expect(await page.locator(".cards > li", { hasText: "so sweet now" }).count()).toBe(1);
  consoleErrors.length = 0;
});

browserTest("an edit that was made elsewhere is shown before it is replaced", async () => {
  await openTopic("ring");
  const id = await send("ring", "I left no ring with her");
  await message("I left no ring").waitFor();
  await editLast();
  await editor().fill("I left no ring with her: what means this lady?");
  await by(viola).do("PATCH", `/messages/${id}`, { content: "I left no ring" });
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText("I left no ring", { exact: true }).waitFor();
  await expectNoViolations(page);
  expect(await markdownOf(id)).toBe("I left no ring");
  expect(await editor().inputValue()).toBe("I left no ring with her: what means this lady?");
  await page.keyboard.press("Control+Enter");
  await editor().waitFor({ state: "detached" });
  expect(await markdownOf(id)).toBe("I left no ring with her: what means this lady?");

  // The reply to a save that succeeded is lost: nothing was changed elsewhere.
  await editLast();
  await editor().fill("Fortune forbid my outside have not charm'd her");
  let isLost = false;
  await page.route(`**/api/v1/messages/${id}`, async (route) => {
    if (isLost || route.request().method() !== "PATCH") return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
  await page.keyboard.press("Control+Enter");
  await page.getByText("The server cannot be reached.").waitFor();
  await page.keyboard.press("Control+Enter");
  await editor().waitFor({ state: "detached" });
  expect(await markdownOf(id)).toBe("Fortune forbid my outside have not charm'd her");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

browserTest("signing out signs out every window of the browser at once, also without a connection", async () => {
  const feste = await aPerson("Feste", { password });
  await feste.do("PATCH", "/settings", { enable_drafts_synchronization: false });
  const first = await signedIn(feste, { viewport: { width: 1280, height: 800 } });
  const second = await first.context().newPage();
  await second.goto(urlOf(`/#narrow/dm/${feste.id}-dm`));
  await field(second).waitFor();
  await first.context().setOffline(true);
  await field(second).fill("When that I was and a little tiny boy");
  // Signing out asks about what was written in the other window, too.
  await first.getByRole("button", { name: "Your account" }).click();
  await first.getByRole("menuitem", { name: "Sign out" }).click();
  await first.getByRole("dialog").getByText("little tiny boy").waitFor();
  await first.getByRole("button", { name: "Sign out and discard" }).click();
  await field(second).waitFor({ state: "detached" });
  await first.context().setOffline(false);
  for (const each of [first, second]) {
    await each.goto(urlOf("/"));
    await each.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  }
  expect(await second.evaluate(() => Object.keys(localStorage).filter((key) => key !== "skein-language"))).toEqual([]);
  await first.context().close();
});

browserTest(
  "what is open over the page stays, with what is typed in it, when somebody renames or deletes what is below",
  async () => {
    const id = await send("masque", "/poll Who sings?\nFeste");
    let topic = "masque";
    const rename = async (name: string) => {
      topic = name;
      await by(orsino).do("PATCH", `/messages/${id}`, { topic, propagate_mode: "change_all" });
      await page.locator("h1", { hasText: `› ${topic}` }).waitFor();
    };
    const chooseOnPoll = async (item: string) => {
      await message("Who sings?").first().hover();
      await message("Who sings?").first().getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    };
    const dialog = page.getByRole("dialog");
    const opened: Record<string, { open: () => Promise<unknown>; field: Locator }> = {
      move: { open: () => chooseOnPoll("Move"), field: dialog.getByRole("textbox", { name: "Topic" }) },
      reminder: { open: () => chooseOnPoll("Remind me"), field: dialog.getByLabel("Note (optional)") },
      heading: {
        open: () => page.getByRole("button", { name: "Edit the question" }).click(),
        field: dialog.getByLabel("Question", { exact: true }),
      },
      palette: { open: () => page.keyboard.press("Control+k"), field: dialog.getByRole("combobox") },
      snippet: {
        open: async () => {
          await field().fill("O mistress mine");
          await page.getByRole("button", { name: "Saved snippets" }).click();
        },
        field: dialog.getByLabel("Save the current text as"),
      },
      status: {
        open: async () => {
          await page.getByRole("button", { name: "Your account" }).click();
          await page.getByRole("menuitem", { name: "Set your status" }).click();
        },
        field: dialog.getByRole("textbox", { name: "Status" }),
      },
    };
    await openTopic(topic);
    for (const [name, { open, field: of }] of Object.entries(opened)) {
      await message("Who sings?").first().waitFor();
      await open();
      await of.fill("present mirth");
      await rename(`with ${name}`);
      expect([name, await of.inputValue()]).toEqual([name, "present mirth"]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    expect(await field().inputValue()).toBe("O mistress mine");
    await field().fill("");

    // What is moved is what is in the topic then, to the name that is typed then.
    await message("Who sings?").first().waitFor();
    await opened.move?.open();
    await rename("revels");
    await dialog.getByRole("textbox", { name: "Topic" }).fill("with status");
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "› with status" }).waitFor();

    await message("Who sings?").first().waitFor();
    await opened.reminder?.open();
    await opened.reminder?.field.fill("present laughter");
    await by(orsino).do("DELETE", `/messages/${id}`);
    await expect.poll(() => message("Who sings?").count()).toBe(0);
    expect(await opened.reminder?.field.inputValue()).toBe("present laughter");
    await page.keyboard.press("Escape");
  },
);

browserTest("who edits a message goes on writing when somebody renames its topic", async () => {
  const id = await send("viol", "Come away, death");
  await openTopic("viol");
  await message("Come away, death").waitFor();
  await editLast();
  await page.keyboard.type(", and in sad");
  await by(orsino).do("PATCH", `/messages/${id}`, { topic: "cypress", propagate_mode: "change_all" });
  await page.locator("h1", { hasText: "› cypress" }).waitFor();
  await expect.poll(() => editor().evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" cypress let me be laid");
  expect(await editor().inputValue()).toBe("Come away, death, and in sad cypress let me be laid");
  await page.keyboard.press("Control+Enter");
  await message("let me be laid").waitFor();
});

browserTest(
  "a field keeps what is typed in it when somebody saves the settings beside it, and shows what they save",
  async () => {
    await page.goto(urlOf(`#channels/${court.id}`));
    const [name, description] = ["Name", "Description"].map((label) => page.getByLabel(label, { exact: true }));
    await description?.fill("If music be the food of love");
    const change = (changes: Record<string, unknown>) => by(orsino).do("PATCH", `/streams/${court.id}`, changes);
    const administrators = { direct_members: [by(viola).id], direct_subgroups: [] };
    await change({ can_administer_channel_group: { new: administrators } });
    await change({ new_name: unique("court"), description: "Play on" });
    await expect.poll(() => page.locator("h1").textContent()).not.toContain(court.name);
    expect(await description?.inputValue()).toBe("If music be the food of love");
    // The server stores it in one line.
    await description?.fill("If music be\nthe food of love");
    await save().click();
    await expect.poll(() => save().isDisabled()).toBe(true);
    await change({ description: "Enough, no more" });
    await expect.poll(() => description?.inputValue()).toBe("Enough, no more");
    await change({ new_name: court.name });
    await expect.poll(() => name?.inputValue()).toBe(court.name);
  },
);

browserTest("there are no console errors", () => {
  const expected = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 40[014]/;
  expect(consoleErrors.filter((text) => !expected.test(text))).toEqual([]);
});
