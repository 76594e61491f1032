import type { Page } from "playwright-core";
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
import { aHistory } from "../../../support/table/seeding.ts";
import { aChannel, aPerson, type Person } from "../../../support/world.ts";

/** Writing in the web client: whom a message is for, and what becomes of it when the page or the connection breaks. */

let [rosalind, orlando]: Person[] = [];
let [forest, court]: Channel[] = [];
let page: Page;

withBrowser(async () => {
  [rosalind, orlando] = [await aPerson("Rosalind", { password }), await aPerson("Orlando", { password })];
  [forest, court] = [
    await aChannel("forest", [rosalind, orlando]),
    // The alphabetically first channel of the person, and private.
    await aChannel("a-court", [rosalind, orlando], { inviteOnly: true }),
  ];
  page = await signedIn(rosalind);
});

const viewport = { width: 1280, height: 800 };
const topicPath = (channel: Channel | undefined, topic: string) => `/#narrow/channel/${channel?.id}-x/topic/${topic}`;
const field = (of = page) => of.getByLabel("Message", { exact: true });
const recipient = (of = page) => of.locator(".compose-to .recipient-name");
const message = (text: string, of = page) => of.locator(".message:not(.outgoing)", { hasText: text });
const outgoing = (text: string, of = page) => of.locator(".message.outgoing", { hasText: text });

async function openTopic(channel: Channel | undefined, topic: string, of = page) {
  await of.goto(urlOf(topicPath(channel, topic)));
  await of.getByRole("heading", { name: new RegExp(`› ${topic}$`) }).waitFor();
}

/** The conversations in which a reader sees a text. */
async function conversationsWith(reader: Person | undefined, text: string): Promise<string[]> {
  const { messages } = await (reader as Person).do("GET", "/messages", {
    anchor: "newest",
    num_before: 500,
    num_after: 0,
    apply_markdown: false,
  });
  return messages
    .filter(({ content }: { content: string }) => content.includes(text))
    .map(({ stream_id, subject }: { stream_id?: number; subject: string }) =>
      stream_id === undefined ? "direct" : `${stream_id} ${subject}`,
    );
}

browserTest(
  "a text stays in the conversation in which it was begun, and messages go to the one that is shown",
  async () => {
    await openTopic(forest, "verses");
    await field().fill("From the east to western Ind");
    await page
      .getByRole("navigation")
      .getByText(court?.name ?? "")
      .click();
    await page.getByRole("heading", { name: court?.name ?? "" }).waitFor();
    expect(await field().inputValue()).toBe("");
    await page.getByRole("combobox", { name: "Topic" }).fill("wrestling");
    await field().fill("Is yonder the man?");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("heading", { name: /› wrestling$/ }).waitFor();
    await message("Is yonder the man?").waitFor();

    await openTopic(forest, "verses");
    expect(await field().inputValue()).toBe("From the east to western Ind");
    expect(await recipient().textContent()).toContain(`${forest?.name} › verses`);
    await field().press("Control+Enter");
    await message("From the east").waitFor();
    expect(new Set(await conversationsWith(orlando, "Is yonder the man?"))).toEqual(
      new Set([`${court?.id} wrestling`]),
    );
    expect(new Set(await conversationsWith(orlando, "From the east"))).toEqual(new Set([`${forest?.id} verses`]));
  },
);

browserTest("a text in the box, and a draft, follow the topic that somebody moves", async () => {
  const sending = { type: "channel", to: forest?.id, content: "Here lies the wolf", topic: "glade" };
  const { id } = await (orlando as Person).do("POST", "/messages", sending);
  await openTopic(forest, "glade");
  await message("Here lies the wolf").waitFor();
  await field().fill("I will not touch a bit");
  await (rosalind as Person).do("POST", "/drafts", {
    drafts: [{ type: "stream", to: [forest?.id], topic: "glade", content: "begun elsewhere", timestamp: 1 }],
  });

  const move = { topic: "clearing", propagate_mode: "change_all", send_notification_to_new_thread: false };
  await (orlando as Person).do("PATCH", `/messages/${id}`, move);
  await page.getByRole("heading", { name: /› clearing$/ }).waitFor();
  await message("Here lies the wolf").waitFor();
  expect(await field().inputValue()).toBe("I will not touch a bit");
  expect(await field().evaluate((element) => element === document.activeElement)).toBe(true);
  await expect
    .poll(async () => {
      const { drafts } = await (rosalind as Person).do("GET", "/drafts");
      const inForest = drafts.filter(({ topic }: { topic: string }) => ["glade", "clearing"].includes(topic));
      return inForest.map(({ topic, content }: { topic: string; content: string }) => `${topic}: ${content}`).sort();
    })
    .toEqual(["clearing: I will not touch a bit", "clearing: begun elsewhere"]);
  await page.keyboard.press("Control+Enter");
  await message("I will not touch a bit").waitFor();
  expect(await conversationsWith(orlando, "I will not touch a bit")).toEqual([`${forest?.id} clearing`]);
});

browserTest(
  "the page starts with the view that the user chose, and the name of the organization leads back",
  async () => {
    const own = await signedIn(orlando as Person, { viewport });
    const choose = (web_home_view: string) => (orlando as Person).do("PATCH", "/settings", { web_home_view });
    await choose("recent_topics");
    await own.getByRole("heading", { name: "Recent conversations" }).waitFor();
    await openTopic(forest, "verses", own);
    await own.locator("a.realm").click();
    await own.getByRole("heading", { name: "Recent conversations" }).waitFor();
    await choose("all_messages");
    await own.goto(urlOf("/"));
    await own.getByRole("heading", { name: "Combined feed" }).waitFor();
    await choose("inbox");
    await own.context().close();
  },
);

browserTest("views of several conversations have no recipient, and a new message asks for one", async () => {
  const views = [
    "inbox",
    "recent",
    "feed",
    "narrow/is/starred",
    "narrow/is/mentioned",
    "narrow/is/dm",
    "narrow/search/x",
  ];
  for (const view of views) {
    await openTopic(forest, "verses");
    await page.goto(urlOf(`/#${view}`));
    await page.getByRole("button", { name: "New message", exact: true }).waitFor();
    expect([view, await field().count()]).toEqual([view, 0]);
  }
  await page.getByRole("button", { name: "New message", exact: true }).click();
  await page.getByText("Choose where to write:").waitFor();
  expect(await page.getByRole("combobox", { name: "Channel" }).inputValue()).toBe("");
  await expectNoViolations(page);
  await field().fill("I can live no longer by thinking");
  await page.keyboard.press("Control+Enter");
  await page.getByText("Choose where to write.", { exact: true }).waitFor();
  expect(await field().inputValue()).toBe("I can live no longer by thinking");

  await page.getByRole("combobox", { name: "Channel" }).fill(forest?.name ?? "");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Topic" }).fill("magic");
  await field().press("Control+Enter");
  await page.getByRole("heading", { name: /› magic$/ }).waitFor();
  await message("no longer by thinking").waitFor();
  expect(await conversationsWith(orlando, "no longer by thinking")).toEqual([`${forest?.id} magic`]);
});

browserTest(
  "a text is in its box again after a reload, a crash, an ended session, and on the server as one draft",
  async () => {
    const touchstone = await aPerson("Touchstone", { password });
    let own = await signedIn(touchstone, { viewport });
    const path = `/#narrow/dm/${orlando?.id}-dm`;
    await own.goto(urlOf(path));
    await field(own).fill("If any man doubt that");
    // At once, before any request.
    await own.reload();
    await field(own).waitFor();
    expect(await field(own).inputValue()).toBe("If any man doubt that");

    await field(own).fill("If any man doubt that, let him put me to my purgation");
    const session = await own.context().newCDPSession(own);
    const crashed = own.waitForEvent("crash");
    session.send("Page.crash").catch(() => {});
    await crashed;
    own = await own.context().newPage();
    await own.goto(urlOf(path));
    await expect.poll(() => field(own).inputValue()).toBe("If any man doubt that, let him put me to my purgation");

    const drafts = async () => (await touchstone.do("GET", "/drafts")).drafts.map(({ content }: any) => content);
    await expect.poll(drafts).toEqual(["If any man doubt that, let him put me to my purgation"]);
    await touchstone.do("POST", "/users/me/api_key/regenerate");
    await field(own).fill("I have trod a measure");
    await own.getByText("Your session has ended").waitFor();
    await own.getByLabel("Password").fill(password);
    await own.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect.poll(() => field(own).inputValue()).toBe("I have trod a measure");
    await own.context().close();
  },
);

browserTest(
  "a message that is written offline waits in its conversation, also after a reload, and is sent once",
  async () => {
    const own = await signedIn(orlando as Person, { viewport });
    await openTopic(forest, "exile", own);
    await field(own).fill("Hang there, my verse");
    // The server accepts the message, and the reply is lost.
    await own.route("**/api/v1/messages", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.abort();
    });
    await own.keyboard.press("Control+Enter");
    await outgoing("Hang there", own).waitFor();
    await own.context().setOffline(true);
    await own.unrouteAll({ behavior: "ignoreErrors" });
    await field(own).fill("Run, run, Orlando");
    await own.keyboard.press("Control+Enter");
    await outgoing("Run, run", own).getByText("waiting for the connection").waitFor();
    await own.goto(urlOf("/#narrow/is/starred"));
    expect(await outgoing("Run, run", own).count()).toBe(0);

    await own.reload().catch(() => {});
    await own.context().setOffline(false);
    await own.goto(urlOf(topicPath(forest, "exile")));
    await message("Hang there", own).waitFor();
    await message("Run, run", own).waitFor();
    await expect.poll(() => own.locator(".message.outgoing").count()).toBe(0);
    expect(await conversationsWith(rosalind, "Hang there, my verse")).toEqual([`${forest?.id} exile`]);
    expect(await conversationsWith(rosalind, "Run, run, Orlando")).toEqual([`${forest?.id} exile`]);
    await own.context().close();
  },
);

browserTest(
  "a message that the server refuses is marked in its conversation, and can be edited, sent and discarded",
  async () => {
    const own = await signedIn(orlando as Person, { viewport });
    await openTopic(forest, "refusal", own);
    const refuse = () =>
      own.route("**/api/v1/messages", (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 400, json: { result: "error", code: "BAD_REQUEST", msg: "The duke forbids it." } })
          : route.continue(),
      );
    await refuse();
    for (const text of ["I beseech you", "Wear this for me"]) {
      await field(own).fill(text);
      await own.keyboard.press("Control+Enter");
      await outgoing(text, own).getByText("The duke forbids it.").waitFor();
    }
    await own.unrouteAll({ behavior: "ignoreErrors" });
    await own.reload();
    await outgoing("I beseech you", own).getByText("not sent").waitFor();
    await outgoing("I beseech you", own).getByRole("button", { name: "Discard" }).click();
    await outgoing("Wear this", own).getByRole("button", { name: "Edit" }).click();
    await expect.poll(() => field(own).inputValue()).toBe("Wear this for me");
    await field(own).fill("Wear this for me, one out of suits with fortune");
    await own.keyboard.press("Control+Enter");

    await message("out of suits", own).waitFor();
    expect(await conversationsWith(rosalind, "I beseech you")).toEqual([]);
    expect(await conversationsWith(rosalind, "Wear this for me")).toEqual([`${forest?.id} refusal`]);
    await own.context().close();
  },
);

browserTest("the text of an edit survives a reload", async () => {
  await openTopic(forest, "edit");
  await field().fill("Time travels in diverse paces");
  await page.keyboard.press("Control+Enter");
  const own = message("diverse paces");
  await own.hover();
  await own.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Edit", exact: true }).click();
  await page.getByLabel("Text of the message").fill("Time travels in divers paces with divers persons");
  await page.reload();
  await expect
    .poll(() => page.getByLabel("Text of the message").inputValue())
    .toBe("Time travels in divers paces with divers persons");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await message("with divers persons").waitFor();
  await page.reload();
  await message("with divers persons").waitFor();
  expect(await page.getByLabel("Text of the message").count()).toBe(0);
});

browserTest("what is typed while an edit is being saved stays in its editor", async () => {
  await openTopic(forest, "slow-edit");
  await field().fill("He that hath learned no wit");
  await page.keyboard.press("Control+Enter");
  const own = message("no wit");
  await own.hover();
  await own.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Edit", exact: true }).click();
  const editor = page.getByLabel("Text of the message");
  await editor.fill("He that hath learned no wit by nature");
  let reply = () => {};
  const isTyped = new Promise<void>((resolve) => {
    reply = resolve;
  });
  await page.route("**/api/v1/messages/*", async (route) => {
    if (route.request().method() === "PATCH") await isTyped;
    await route.continue();
  });
  const saved = page.waitForResponse((response) => response.request().method() === "PATCH");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.type(" nor art");
  reply();
  await saved;
  await expect
    .poll(() => conversationsWith(orlando, "He that hath learned no wit by nature"))
    .toEqual([`${forest?.id} slow-edit`]);
  expect(await editor.inputValue()).toBe("He that hath learned no wit by nature nor art");
  await page.keyboard.press("Control+Enter");
  await message("by nature nor art").waitFor();
  await expect.poll(() => editor.count()).toBe(0);
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

browserTest("signing out asks before it discards what was written", async () => {
  const phebe = await aPerson("Phebe", { password });
  await phebe.do("PATCH", "/settings", { enable_drafts_synchronization: false });
  const own = await signedIn(phebe, { viewport });
  await own.goto(urlOf(`/#narrow/dm/${phebe.id}-dm`));
  await field(own).fill("Who ever loved that loved not at first sight?");
  const signOut = async () => {
    await own.getByRole("button", { name: "Your account" }).click();
    await own.getByRole("menuitem", { name: "Sign out" }).click();
  };
  await signOut();
  const question = own.getByRole("dialog");
  await question.getByText("loved not at first sight").waitFor();
  await expectNoViolations(own);
  await question.getByRole("button", { name: "Cancel" }).click();
  expect(await field(own).inputValue()).toContain("Who ever loved");
  await signOut();
  await question.getByRole("button", { name: "Sign out and discard" }).click();
  await own.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  expect(await own.evaluate(() => localStorage.length)).toBe(0);
  await own.context().close();
});

for (const [name, options] of [
  ["a screen", { viewport }],
  ["a phone", { viewport: { width: 390, height: 780 }, hasTouch: true }],
] as const)
  browserTest(`one's own message is seen on ${name}, whatever its height and wherever one has scrolled`, async () => {
    const long = await aChannel("long", [rosalind as Person, orlando as Person]);
    const { id: senderId } = orlando as Person;
    await aHistory(300, { channel: long, senderId: () => senderId });
    const own = await signedIn(rosalind as Person, options);
    await (rosalind as Person).do("POST", "/mark_all_as_read").catch(() => {});
    const topic = (
      await (rosalind as Person).do("GET", "/messages", {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
        narrow: [{ operator: "channel", operand: long.id }],
      })
    ).messages[0].subject;
    await own.goto(urlOf(`/#narrow/channel/${long.id}-x/topic/${encodeURIComponent(topic).replaceAll("%", ".")}`));
    await own.locator(".message").first().waitFor();

    for (const [index, lines] of [5, 1, 12, 2, 30, 1].entries()) {
      const text = Array.from({ length: lines }, (_, line) => `${name} ${index}, line ${line}`).join("\n");
      await field(own).fill("");
      await field(own).pressSequentially(text.slice(0, 10));
      await field(own).fill(text);
      if (index % 2 === 1) await own.locator("#messages").evaluate((list) => list.scrollTo(0, 0));
      await own.keyboard.press("Control+Enter");
      const last = message(`${name} ${index}, line ${lines - 1}`, own);
      await last.waitFor();
      await expect.poll(() => isEndOnScreen(own)).toBe(true);
    }
    await (orlando as Person).do("POST", "/messages", {
      type: "channel",
      to: long.id,
      topic,
      content: "the last word",
    });
    await message("the last word", own).waitFor();
    await expect.poll(() => isEndOnScreen(own)).toBe(true);
    await own.context().close();
  });

/** Whether the end of the list of messages, and its last row, are on the screen. */
const isEndOnScreen = (of: Page) =>
  of.evaluate(() => {
    const list = document.getElementById("messages") as HTMLElement;
    const last = [...list.querySelectorAll(".message")].at(-1)?.getBoundingClientRect();
    const { bottom } = list.getBoundingClientRect();
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 2;
    return isAtEnd && last !== undefined && last.bottom <= bottom + 1;
  });

browserTest("there are no console errors", () => {
  const expected = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|status of 40[01]/;
  expect(consoleErrors.filter((text) => !expected.test(text))).toEqual([]);
});
