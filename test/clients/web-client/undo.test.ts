import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { browserTest, violations } from "../../support/browser/browser-test.ts";
import { consoleErrors, password, signedIn, urlOf, withBrowser } from "../../support/browser/client-pages.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** What the web client asks about first and what it offers to undo: Viola acts in a browser, and Orsino sees the effect. */

const withinAMinute = { timeout: 60_000 };
let viola: Person;
let orsino: Person;
let channel: Channel;
let page: Page;

const notice = (text: string | RegExp) => page.locator(".toast", { hasText: text });
const undo = (text: string | RegExp) => notice(text).getByRole("button", { name: "Undo" }).click();

/** Chooses an item of a menu. */
async function choose(menu: string, item: string) {
  await page.getByRole("button", { name: menu }).first().click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** Acts, refuses the question, acts again and agrees; `isUnchanged` holds in between. */
async function asksFirst(act: () => Promise<void>, title: RegExp, label: string, isUnchanged: () => Promise<void>) {
  const dialog = page.getByRole("dialog", { name: title });
  await act();
  await dialog.waitFor();
  expect(await violations(page)).toEqual([]);
  // The button that has the focus does no harm.
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await isUnchanged();
  await act();
  await dialog.getByRole("button", { name: label, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

const subscribersOf = async ({ id }: Channel): Promise<number[]> =>
  (await orsino.do("GET", `/streams/${id}/members`)).subscribers;

/** The contents of a topic's messages, as Orsino sees them, without notices. */
async function contentsOf(topic: string): Promise<string[]> {
  const narrow = [
    { operator: "channel", operand: channel.id },
    { operator: "topic", operand: topic },
  ];
  const params = { anchor: "newest", num_before: 100, num_after: 0, narrow, apply_markdown: false };
  const { messages } = await orsino.do("GET", "/messages", params);
  const people = [viola.id, orsino.id];
  return messages
    .filter((message: { sender_id: number }) => people.includes(message.sender_id))
    .map((message: { content: string }) => message.content);
}

const send = async (topic: string, content: string, sender = orsino): Promise<number> =>
  (await sender.do("POST", "/messages", { type: "channel", to: channel.id, topic, content })).id;

const topicUrl = (topic: string) => urlOf(`#narrow/channel/${channel.id}-x/topic/${topic}`);

/** What `POST /register` returns for Viola. */
const snapshot = (...types: string[]) => viola.do("POST", "/register", { fetch_event_types: types });

withBrowser(async () => {
  viola = await aPerson("Viola", { password });
  orsino = await aPerson("Orsino");
  channel = await aChannel("illyria", [viola, orsino]);
  page = await signedIn(viola);
});

browserTest("leaving a private channel asks first, from each place that offers it", async () => {
  const secret = await aChannel("secret", [viola, orsino], { inviteOnly: true });
  const isSubscribed = async () => expect(await subscribersOf(secret)).toContain(viola.id);
  await asksFirst(() => choose(`Actions for ${secret.name}`, "Leave"), /^Leave secret/, "Leave", isSubscribed);
  await expect.poll(() => subscribersOf(secret), withinAMinute).toEqual([orsino.id]);

  for (const [view, button] of [
    ["#channels", (name: string) => `Leave ${name}`],
    ["settings", () => "Leave"],
  ] as const) {
    const other = await aChannel("hidden", [viola, orsino], { inviteOnly: true });
    await page.goto(urlOf(view === "settings" ? `#channels/${other.id}` : view));
    await page.getByRole("button", { name: button(other.name), exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Leave ${other.name}?` });
    await dialog.getByText("only someone who can add people can let you back in").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await subscribersOf(other)).toContain(viola.id);
  }
});

browserTest("leaving a public channel can be undone, with its settings", async () => {
  const open = await aChannel("seaside", [viola, orsino]);
  await viola.do("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: open.id, property: "pin_to_top", value: true }],
  });
  await choose(`Actions for ${open.name}`, "Leave");
  await expect.poll(() => subscribersOf(open), withinAMinute).toEqual([orsino.id]);
  await undo(`You have left “${open.name}”.`);
  await expect.poll(() => subscribersOf(open), withinAMinute).toContain(viola.id);
  const { subscriptions } = await snapshot("subscription");
  expect(subscriptions.find(({ stream_id }: { stream_id: number }) => stream_id === open.id).pin_to_top).toBe(true);
});

browserTest("muting a topic, a channel and a person can be undone", async () => {
  await send("captain", "What country, friends, is this?");
  const policyOfTopic = async () =>
    (await snapshot("user_topic")).user_topics.find(
      (topic: { stream_id: number; topic_name: string }) =>
        topic.stream_id === channel.id && topic.topic_name === "captain",
    )?.visibility_policy ?? 0;
  await choose("Actions for captain", "Follow");
  await expect.poll(policyOfTopic, withinAMinute).toBe(3);
  await choose("Actions for captain", "Mute");
  await expect.poll(policyOfTopic, withinAMinute).toBe(1);
  await undo("The topic “captain” is muted.");
  await expect.poll(policyOfTopic, withinAMinute).toBe(3);

  const isChannelMuted = async () =>
    (await snapshot("subscription")).subscriptions.find(
      ({ stream_id }: { stream_id: number }) => stream_id === channel.id,
    ).is_muted;
  await choose(`Actions for ${channel.name}`, "Mute");
  await expect.poll(isChannelMuted, withinAMinute).toBe(true);
  await undo(`The channel “${channel.name}” is muted.`);
  await expect.poll(isChannelMuted, withinAMinute).toBe(false);

  const mutedUsers = async () => (await snapshot("muted_users")).muted_users.map(({ id }: { id: number }) => id);
  await page.goto(topicUrl("captain"));
  await page.locator(".message .sender").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Mute" }).click();
  await expect.poll(mutedUsers, withinAMinute).toEqual([orsino.id]);
  await undo("Orsino is muted.");
  await expect.poll(mutedUsers, withinAMinute).toEqual([]);
});

browserTest("resolving a topic can be undone", async () => {
  await send("shipwreck", "Perchance he is not drown'd");
  await page.goto(topicUrl("shipwreck"));
  await page.getByRole("button", { name: "Resolve" }).click();
  await page.getByRole("heading", { name: /✔ shipwreck/ }).waitFor();
  await undo("“shipwreck” is resolved.");
  await page.getByRole("heading", { name: /› shipwreck$/ }).waitFor();
  expect(await contentsOf("shipwreck")).toEqual(["Perchance he is not drown'd"]);
  await expect.poll(() => contentsOf("✔ shipwreck"), withinAMinute).toEqual([]);
});

browserTest("moving messages can be undone, and brings back no others", async () => {
  const text = (number: number) => `O time, thou must untangle this, not I: ${number}`;
  for (const number of [1, 2, 3]) await send("ring", text(number));
  const moveFrom = async (content: string, topic: string) => {
    await page.goto(topicUrl("ring"));
    const message = page.locator(".message", { hasText: content });
    await message.hover();
    await message.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Move" }).click();
    const dialog = page.getByRole("dialog", { name: "Move messages" });
    await dialog.getByRole("textbox", { name: "Topic" }).fill(topic);
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
  };

  await moveFrom(text(2), "new ring");
  await expect.poll(() => contentsOf("new ring"), withinAMinute).toEqual([text(2), text(3)]);
  await undo(`Moved to ${channel.name} › new ring.`);
  await notice("The messages were moved back.").waitFor();
  await expect.poll(() => contentsOf("ring"), withinAMinute).toEqual([1, 2, 3].map(text));

  // The other topic has messages of its own between and after the moved ones.
  await send("knot", "mine, before");
  await send("ring", text(4));
  await send("knot", "mine, after");
  await moveFrom(text(2), "knot");
  await expect.poll(async () => (await contentsOf("knot")).length, withinAMinute).toBe(5);
  await undo(`Moved to ${channel.name} › knot.`);
  await expect.poll(() => contentsOf("ring"), withinAMinute).toEqual([1, 2, 3, 4].map(text));
  await expect.poll(() => contentsOf("knot"), withinAMinute).toEqual(["mine, before", "mine, after"]);
});

browserTest("deleting a message, a draft, a snippet or a scheduled message asks first", async () => {
  await send("letter", "Make me a willow cabin", viola);
  await page.goto(topicUrl("letter"));
  // Without the notices of earlier cases, which may cover the message.
  await page.reload();
  const message = page.locator(".message", { hasText: "willow cabin" });
  const remove = async () => {
    await message.hover();
    await message.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
  };
  await asksFirst(remove, /Delete the message/, "Delete", async () =>
    expect(await contentsOf("letter")).toEqual(["Make me a willow cabin"]),
  );
  await expect.poll(() => contentsOf("letter"), withinAMinute).toEqual([]);

  const draft = { type: "stream", to: [channel.id], topic: "letter", content: "at your gate", timestamp: 1 };
  await viola.do("POST", "/drafts", { drafts: [draft] });
  await page.goto(urlOf("#drafts"));
  const card = page.locator(".cards li", { hasText: "at your gate" });
  await asksFirst(
    () => card.getByRole("button", { name: "Delete" }).click(),
    /Delete the draft/,
    "Delete",
    () => card.waitFor(),
  );
  await card.waitFor({ state: "detached" });

  const inADay = Math.floor(Date.now() / 1000) + 86_400;
  const scheduled = { type: "channel", to: channel.id, topic: "letter", content: "call upon my soul" };
  await viola.do("POST", "/scheduled_messages", { ...scheduled, scheduled_delivery_timestamp: inADay });
  await page.goto(urlOf("#scheduled"));
  const later = page.locator(".cards li", { hasText: "call upon my soul" });
  const cancel = () => later.getByRole("button", { name: "Delete" }).click();
  await asksFirst(cancel, /Delete the scheduled message/, "Delete", () => later.waitFor());
  await later.waitFor({ state: "detached" });

  await viola.do("POST", "/saved_snippets", { title: "Willow", content: "cabin" });
  await page.goto(topicUrl("letter"));
  await page.getByRole("button", { name: "Saved snippets" }).click();
  const snippet = page.getByRole("button", { name: "Delete Willow" });
  await asksFirst(
    () => snippet.click(),
    /Delete Willow/,
    "Delete",
    () => snippet.waitFor(),
  );
  await snippet.waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
});

browserTest("deactivating a bot, replacing its key and archiving a channel ask first", async () => {
  const { api_key } = await viola.do("POST", "/bots", { full_name: "Fool", short_name: `fool-${viola.id}` });
  await page.goto(urlOf("#settings/bots"));
  const card = page.locator(".cards li", { hasText: "Fool" });
  const ownBots = async () => (await viola.do("GET", "/bots")).bots as { api_key: string }[];
  const hasOldKey = async () => expect((await ownBots())[0]?.api_key).toBe(api_key);
  const renew = () => card.getByRole("button", { name: "New API key" }).click();
  await asksFirst(renew, /new API key for Fool/, "Create a new key", hasOldKey);
  await expect.poll(async () => (await ownBots())[0]?.api_key, withinAMinute).not.toBe(api_key);
  const deactivate = () => card.getByRole("button", { name: "Deactivate" }).click();
  await asksFirst(deactivate, /Deactivate Fool/, "Deactivate", () => card.waitFor());
  await card.waitFor({ state: "detached" });

  const { id } = await viola.do("POST", "/channels/create", {
    name: `elysium ${viola.id}`,
    subscribers: [viola.id, orsino.id],
  });
  await page.goto(urlOf(`#channels/${id}`));
  const archive = () => page.getByRole("button", { name: "Archive this channel" }).click();
  const isArchived = async () => (await orsino.do("GET", `/streams/${id}`)).stream.is_archived;
  await asksFirst(archive, /Archive elysium/, "Archive", async () => expect(await isArchived()).toBe(false));
  await expect.poll(isArchived, withinAMinute).toBe(true);
});

browserTest(
  "a notice covers nothing that is being written, waits for the focus, and is undone by the keyboard",
  async () => {
    for (const [viewport, colorScheme] of [
      [{ width: 1280, height: 680 }, "light"],
      [{ width: 390, height: 844 }, "dark"],
    ] as const) {
      const first = await send("duel", "I am not that I play");
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.goto(topicUrl("duel"));
      await page.locator(`[data-message-id="${first}"]`).waitFor();
      await page.getByRole("button", { name: /Resolve/ }).click();
      await notice("is resolved").waitFor();
      expect(await violations(page)).toEqual([]);
      // axe does not report a text that has the very color of its background.
      const [text, back] = await notice("is resolved")
        .getByRole("button", { name: "Undo" })
        .evaluate((button) => [getComputedStyle(button).color, getComputedStyle(button).backgroundColor]);
      expect(text).not.toBe(back);
      const [toast, box] = [await notice("is resolved").boundingBox(), await page.locator(".compose").boundingBox()];
      const isAbove = (toast?.y ?? 0) + (toast?.height ?? 0) < (box?.y ?? 0);
      expect(isAbove || (toast?.x ?? 0) + (toast?.width ?? 0) < (box?.x ?? 0)).toBe(true);
      await notice("is resolved").getByRole("button", { name: "Undo" }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: /› duel$/ }).waitFor();

      await page.getByRole("button", { name: /Resolve/ }).click();
      await notice("is resolved").getByRole("button", { name: "Close" }).focus();
      await page.keyboard.press("Enter");
      // The focus is in the page, not lost with the notice.
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("messages");
      // The view follows the topic when its event comes; it must not leave the next round's topic.
      await page.getByRole("heading", { name: /✔ duel$/ }).waitFor();
    }
    expect(consoleErrors).toEqual([]);
  },
);
