import type { BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Channel } from "../../../../shared/store/channels/channels.ts";
import { browserTest } from "../../../support/browser/browser-test.ts";
import { password, signedIn, urlOf, withBrowser } from "../../../support/browser/client-pages.ts";
import { randomFrom, seed } from "../../../support/random.ts";
import { aChannel, aPerson, type Person } from "../../../support/world.ts";

/**
 * A user who navigates, types, sends, edits, schedules, reloads, crashes, signs out and loses the connection at random, in two
 * windows, while messages are deleted, moved and changed elsewhere. The page reports each character and each key that sends, with
 * the recipient whose name stands at the box in that moment. At the end, every message must be in the conversation that was named
 * when it was sent, exactly once, and every character must be in a message, a scheduled one, or a text that is kept, unless its
 * message was deleted or the user has agreed to discard it.
 *
 * `SKEIN_WRITING_ACTIONS` is how many actions there are: not how long they may take, so that a seed means the same on every
 * machine.
 */

const actionCount = Number(process.env.SKEIN_WRITING_ACTIONS ?? 45);
/** After how many actions a lost connection is back: a page that is loaded without one lets nobody write. */
const maxOfflineActions = 6;

let [writer, reader]: Person[] = [];
let [alpha, omega]: Channel[] = [];

withBrowser(async () => {
  [writer, reader] = [
    await aPerson("Macduff", { password }),
    await aPerson("Seyton", { password, role: "administrator" }),
  ];
  [alpha, omega] = [
    await aChannel("alpha", [writer, reader]),
    await aChannel("omega", [writer, reader], { inviteOnly: true }),
  ];
});

/** What the page reports: a typed character, or a key that sends `text`. */
interface Report {
  kind: "typed" | "sent";
  text: string;
  /** What stands at the box. */
  name: string;
  /** Whether the view decides the recipient. */
  isFixed: boolean;
}

/** Runs in the page, before its own scripts. */
function reportWriting() {
  const report = (globalThis as any).reportWriting as (report: Report) => void;
  const nameAtBox = () => {
    const to = document.querySelector(".compose-to");
    const fixed = to?.querySelector(".recipient-name strong")?.textContent ?? "";
    const chosen = to?.querySelector<HTMLInputElement>('input[aria-label="Channel"]');
    const topic = to?.querySelector<HTMLInputElement>('input[aria-label="Topic"]')?.value;
    const channel = chosen?.value ?? fixed;
    const name = topic === undefined || channel === "" ? channel : `${channel} › ${topic || "general chat"}`;
    return { name, isFixed: !chosen && topic === undefined && name !== "" };
  };
  const boxOf = (target: EventTarget | null) =>
    target instanceof HTMLTextAreaElement && target.closest(".compose, .edit-form") ? target : undefined;
  addEventListener(
    "input",
    (event) => {
      const { data } = event as InputEvent;
      const box = boxOf(event.target);
      // Each character is typed by itself; what is too long is pasted, and taken away again.
      if (!box || !data || data.length > 100) return;
      // The text of an edit is where its message is, or is moved to.
      const place = box.closest(".compose") ? nameAtBox() : { name: "", isFixed: false };
      report({ kind: "typed", text: data, ...place });
    },
    true,
  );
  addEventListener(
    "keydown",
    (event) => {
      const box = boxOf(event.target);
      if (box?.closest(".compose") && event.key === "Enter" && event.ctrlKey)
        report({ kind: "sent", text: box.value, ...nameAtBox() });
    },
    true,
  );
}

browserTest(
  `what is written in ${actionCount} random actions is where the user saw it, once (seed ${seed})`,
  { timeout: actionCount * 10_000 + 300_000, retry: 0 },
  async () => {
    const random = randomFrom(seed);
    const below = (count: number) => Math.floor(random() * count);
    const oneOf = <T>(choices: readonly T[]): T => choices[below(choices.length)] as T;
    const reports: Report[] = [];
    const history: string[] = [];
    /** What is gone by a decision: the texts of deleted messages, and what was discarded when signing out. */
    const gone: Place[] = [];
    const movedIds = new Set<number>();
    const viewport = oneOf([
      { width: 1000, height: 700 },
      { width: 390, height: 780 },
    ]);
    let page = await signedIn(writer as Person, { viewport });
    const context: BrowserContext = page.context();
    await context.exposeBinding("reportWriting", (_, report: Report) => void reports.push(report));
    await context.addInitScript(reportWriting);
    await page.reload();

    const channelHash = ({ id }: Channel) => `#narrow/channel/${id}-x`;
    const conversations = [
      `${channelHash(alpha as Channel)}/topic/one`,
      `${channelHash(alpha as Channel)}/topic/two`,
      `${channelHash(omega as Channel)}/topic/one`,
      `#narrow/dm/${reader?.id}-dm`,
    ];
    const views = [
      ...conversations,
      ...[alpha, omega].map((channel) => channelHash(channel as Channel)),
      ...["#feed", "#inbox", "#recent", "#narrow/is/starred", "#narrow/is/mentioned", "#drafts"],
    ];
    // Every character is typed only once.
    let nextCharacter = 0x4e00;
    const characters = (count: number) =>
      Array.from({ length: count }, () => String.fromCodePoint(nextCharacter++)).join("");
    const show = (hash: string) =>
      page.evaluate((address) => {
        location.hash = address;
      }, hash);
    const type = async (count: number) => {
      for (const character of characters(count)) await page.keyboard.insertText(character);
    };
    const quick = { timeout: 1000 };
    const focusBox = () => page.locator(".compose textarea").click(quick);
    const typeInBox = async (count: number) => {
      await focusBox();
      await type(count);
    };
    const sendKey = () => page.keyboard.press("Control+Enter");
    const typeAtEnd = async (editor: Locator, count: number) => {
      await editor.press("Control+End", quick);
      await type(count);
    };
    /** Opens the newest own message of the conversation for editing, and types into it. */
    const editLast = async (count: number) => {
      await page.locator(".message").first().waitFor(quick);
      await page.locator("#messages").press("e", quick);
      await typeAtEnd(page.getByLabel("Text of the message", { exact: true }).last(), count);
    };
    /** The newest message of the writer. */
    const newestOwn = async () => {
      const [newest] = await messagesOf(reader as Person, writer as Person, 1);
      return newest?.id === undefined ? undefined : { ...newest, id: newest.id };
    };
    let lostConnectionAt: number | undefined;
    const connect = async () => {
      lostConnectionAt = undefined;
      await context.unrouteAll({ behavior: "ignoreErrors" });
      await context.setOffline(false);
    };
    /** Lets the next request to send a message fail. */
    const failSending = (how: "unsent" | "reply lost" | "unavailable") =>
      context.route(
        "**/api/v1/messages",
        async (route) => {
          if (route.request().method() !== "POST") return route.fallback();
          if (how === "reply lost") await route.fetch().catch(() => {});
          // Connecting again or leaving the page may have ended the request.
          return (
            how === "unavailable"
              ? route.fulfill({ status: 503, json: { code: "UNAVAILABLE", msg: "" } })
              : route.abort()
          ).catch(() => {});
        },
        { times: 2 },
      );

    const actions: Record<string, { weight: number; run: () => Promise<unknown> }> = {
      "go to a conversation": { weight: 10, run: () => show(oneOf(conversations)) },
      "go to a view": { weight: 8, run: () => show(oneOf(views)) },
      "go back": { weight: 2, run: () => page.goBack({ timeout: 1000 }) },
      type: { weight: 14, run: () => typeInBox(1 + below(6)) },
      "type and send": {
        weight: 14,
        run: async () => {
          await typeInBox(1 + below(6));
          await sendKey();
        },
      },
      send: { weight: 4, run: sendKey },
      "type lines and send": {
        weight: 3,
        run: async () => {
          await focusBox();
          for (let line = 0; line < 5; line++) await Promise.all([type(2), page.keyboard.press("Shift+Enter")]);
          await sendKey();
        },
      },
      "type while the view changes": {
        weight: 10,
        run: async () => {
          await focusBox();
          await Promise.all([type(4), show(oneOf(views)), type(2), sendKey(), show(oneOf(conversations)), type(3)]);
          if (below(2) === 0) await Promise.all([sendKey(), show(oneOf(conversations))]);
        },
      },
      "write to somebody else": {
        weight: 4,
        run: async () => {
          await show(oneOf(["#feed", "#inbox", "#narrow/is/starred"]));
          await page.getByRole("button", { name: "New message", exact: true }).click(quick);
          await type(2);
          await page.getByRole("combobox", { name: "Channel" }).fill(oneOf([alpha, omega])?.name ?? "", quick);
          await page.keyboard.press("Enter");
          await page.getByRole("combobox", { name: "Topic" }).fill(oneOf(["one", "two", "three"]), quick);
          await focusBox();
          await type(2);
          if (below(3) > 0) await sendKey();
        },
      },
      "choose a topic": {
        weight: 4,
        run: async () => {
          await show(channelHash(oneOf([alpha, omega]) as Channel));
          await focusBox();
          await type(2);
          await page.getByRole("combobox", { name: "Topic" }).fill(oneOf(["one", "two", "three"]), quick);
          await focusBox();
          await type(1);
          if (below(3) > 0) await sendKey();
        },
      },
      edit: {
        weight: 5,
        run: async () => {
          await show(oneOf(conversations));
          await editLast(1 + below(3));
          if (below(3) > 0) await sendKey();
          if (below(3) === 0) await show(oneOf(views));
        },
      },
      "edit what is changed, moved or deleted elsewhere": {
        weight: 5,
        run: async () => {
          const newest = await newestOwn();
          if (!newest) return;
          await show(newest.hash ?? "");
          const edits = page.getByLabel("Text of the message", { exact: true });
          if (below(3) > 0) {
            await page.locator(`[data-message-id="${newest.id}"]`).press("e", quick);
            await typeAtEnd(edits.last(), 2);
          }
          const how = below(3);
          if (how === 0) {
            gone.push(newest);
            await (reader as Person).do("DELETE", `/messages/${newest.id}`);
          } else if (how === 1) {
            movedIds.add(newest.id);
            const move = { topic: oneOf(["one", "two"]), propagate_mode: "change_one" };
            await (reader as Person).call("PATCH", `/messages/${newest.id}`, move);
          } else
            await (writer as Person).call("PATCH", `/messages/${newest.id}`, {
              content: `${newest.content} elsewhere`,
            });
          await type(1);
          await sendKey();
        },
      },
      schedule: {
        weight: 3,
        run: async () => {
          await show(oneOf(conversations));
          await typeInBox(2);
          await page.getByRole("button", { name: "Send later" }).click(quick);
          await page.getByRole("button", { name: "Tomorrow morning" }).click(quick);
          await page.getByRole("dialog").waitFor({ state: "detached", ...quick });
        },
      },
      "edit a scheduled message": {
        weight: 3,
        run: async () => {
          await show("#scheduled");
          const cards = page.locator(".cards > li");
          if ((await page.getByLabel("Text of the scheduled message").count()) === 0)
            await cards.getByRole("button", { name: "Edit", exact: true }).first().click(quick);
          await typeAtEnd(page.getByLabel("Text of the scheduled message").first(), 2);
          if (below(2) === 0) await sendKey();
        },
      },
      "type too much": {
        weight: 2,
        run: async () => {
          await show(oneOf(conversations));
          await focusBox();
          await page.keyboard.insertText("x".repeat(10_001));
          await type(1);
          await sendKey();
          const box = page.locator(".compose textarea");
          await box.fill((await box.inputValue()).replaceAll("x", ""), quick);
        },
      },
      "sign out and in": {
        weight: 1,
        run: async () => {
          await connect();
          const kept = await keptTextsOf(page);
          await page.getByRole("button", { name: "Your account" }).click(quick);
          await page.getByRole("menuitem", { name: "Sign out" }).click(quick);
          const discard = page.getByRole("button", { name: "Sign out and discard" });
          await discard.or(page.getByLabel("Email")).waitFor();
          if (await discard.isVisible()) await discard.click();
          gone.push(...kept);
          for (const each of context.pages()) await each.getByLabel("Email").waitFor();
          await signedIn(writer as Person, {}, page);
          for (const each of context.pages()) if (each !== page) await each.reload();
        },
      },
      "close the box": { weight: 2, run: () => page.keyboard.press("Escape") },
      "receive a message": {
        weight: 4,
        run: () =>
          (reader as Person).call("POST", "/messages", {
            type: "channel",
            to: oneOf([alpha, omega])?.id,
            topic: oneOf(["one", "two"]),
            content: "Ay, my good lord.",
          }),
      },
      "lose the connection": {
        weight: 3,
        run: async () => {
          lostConnectionAt ??= history.length;
          await context.setOffline(true);
        },
      },
      "connect again": { weight: 4, run: connect },
      "lose a request": { weight: 3, run: () => failSending("unsent") },
      "lose a reply": { weight: 4, run: () => failSending("reply lost") },
      "get an error of the server": { weight: 2, run: () => failSending("unavailable") },
      reload: { weight: 4, run: () => page.reload({ timeout: 5000 }) },
      "type, send and reload": {
        weight: 4,
        run: async () => {
          await focusBox();
          await type(3);
          if (below(2) === 0) await sendKey();
          await page.reload({ timeout: 5000 });
        },
      },
      "use another window": {
        weight: 2,
        run: async () => {
          const open = context.pages();
          page = open.length < 2 ? await context.newPage() : oneOf(open);
          if (open.length < 2) await page.goto(urlOf(`/${oneOf(views)}`), { timeout: 5000 });
          await page.bringToFront();
        },
      },
      crash: {
        weight: 1,
        run: async () => {
          const crashed = page;
          const session = await context.newCDPSession(crashed);
          const event = crashed.waitForEvent("crash", { timeout: 5000 });
          session.send("Page.crash").catch(() => {});
          await event;
          page = await context.newPage();
          await page.goto(urlOf(`/${oneOf(views)}`), { timeout: 5000 });
          await crashed.close();
        },
      },
    };
    const weighted = Object.entries(actions).flatMap(([name, { weight }]) => Array<string>(weight).fill(name));
    // Whatever follows, something is sent.
    await show(conversations[0] as string);
    await page.locator(".compose textarea").click();
    await type(3);
    await sendKey();
    while (history.length < actionCount) {
      if (lostConnectionAt !== undefined && history.length - lostConnectionAt > maxOfflineActions) await connect();
      const name = oneOf(weighted);
      history.push(name);
      // An action that is not possible in the view, or without a connection, does nothing.
      await actions[name]?.run().catch(() => {});
      // Going back and reloading offline may leave the client.
      if (!page.url().startsWith(urlOf("/")))
        await page.goto(urlOf(`/${oneOf(views)}`), { timeout: 5000 }).catch(connect);
    }

    await connect();
    for (const each of context.pages()) await each.goto(urlOf("/#inbox"));
    await expect.poll(() => pendingCount(page), { timeout: 120_000 }).toBe(0);

    const sent = await messagesOf(reader as Person, writer as Person);
    const unsent = [...(await keptTextsOf(page)), ...(await scheduledOf(writer as Person))];
    // A draft that this browser does not keep, because somebody has signed out, is on the server.
    const elsewhere = [...(await draftsOf(writer as Person)), ...gone];
    const facts = { seed, history: history.slice(-30) };
    /** The name of a place, or any, if its message was moved. */
    const nameIn = ({ id, name }: Place) => (id !== undefined && movedIds.has(id) ? "moved" : name);
    for (const { text, name } of reports.filter(isSent)) {
      const found = [...sent, ...gone].filter(({ content }) => content.includes(text.trim())).map(nameIn);
      expect({ text, in: found[0] === "moved" ? name : found[0], ...facts }).toEqual({ text, in: name, ...facts });
      expect(sent.filter(({ content }) => content.includes(text.trim())).length).toBeLessThan(2);
    }
    for (const { text, name, isFixed } of reports.filter(({ kind }) => kind === "typed")) {
      const kept = [...sent, ...unsent].filter(({ content }) => content.includes(text));
      const found = kept.length > 0 ? kept : elsewhere.filter(({ content }) => content.includes(text)).slice(0, 1);
      if (found.length !== 1) console.log(JSON.stringify({ text, name, isFixed, found }));
      const isMoved = found.some((place) => place.isMoved || nameIn(place) === "moved");
      expect({ text, in: found.map((place) => place.name), ...facts }).toEqual({
        text,
        in: [isFixed && !isMoved ? name : expect.any(String)],
        ...facts,
      });
    }
    console.log(
      `${history.length} actions, ${reports.length} reports, ${sent.length} messages, ${unsent.length} unsent`,
    );
    expect(sent.length).toBeGreaterThan(0);
    await context.close();
  },
);

/**
 * Whether a key sent a message: it does nothing without a text or a recipient, nor with a text that is too long. Where the user
 * chooses the topic and has not, it asks first.
 */
const isSent = ({ kind, text, name, isFixed }: Report) =>
  kind === "sent" &&
  text.trim() !== "" &&
  text.length <= 10_000 &&
  name !== "" &&
  (isFixed || !name.endsWith("› general chat"));

interface Place {
  name: string;
  content: string;
  /** The ID of a message. */
  id?: number;
  /** The address of a message. */
  hash?: string;
  /** Whether it need not be where it was written. */
  isMoved?: boolean;
}

const conversationName = (channel: string, topic: string) => `${channel} › ${topic || "general chat"}`;

/** The messages of a sender that a reader sees. */
async function messagesOf(by: Person, sender: Person, count = 1000): Promise<Place[]> {
  const found: Place[] = [];
  for (let anchor: number | string = "newest"; ; ) {
    const { messages, found_oldest } = await by.do("GET", "/messages", {
      anchor,
      include_anchor: anchor === "newest",
      num_before: count,
      num_after: 0,
      apply_markdown: false,
      allow_empty_topic_name: true,
      narrow: [{ operator: "sender", operand: sender.id }],
    });
    for (const { id, type, display_recipient, stream_id, subject, content } of messages)
      found.push({
        id,
        name: type === "stream" ? conversationName(display_recipient, subject) : "Seyton",
        content,
        hash: `#narrow/${type === "stream" ? `channel/${stream_id}-x/topic/${subject}` : `dm/${by.id}-dm`}/near/${id}`,
      });
    if (found_oldest || messages.length === 0 || found.length >= count) return found;
    anchor = messages[0].id;
  }
}

/** The records that the page keeps of messages or edits. */
const storedRecords = (page: Page, kind = "message") =>
  page.evaluate(
    (ofKind) =>
      Object.keys(localStorage).flatMap((key) =>
        key.startsWith("skein-unsent:") && key.includes(`:${ofKind}:`)
          ? [JSON.parse(localStorage.getItem(key) ?? "null")]
          : [],
      ),
    kind,
  );

/** How many texts are still to be sent, or kept although the server has saved them, which the page is about to notice. */
const pendingCount = async (page: Page) => {
  const messages = await storedRecords(page);
  const edits = await storedRecords(page, "edit");
  const saved = new Set((await messagesOf(reader as Person, writer as Person)).map(({ content }) => content));
  const scheduled = new Set((await scheduledOf(writer as Person)).map(({ content }) => content));
  return (
    messages.filter(({ sending }) => sending && sending.failure === undefined).length +
    messages.filter(({ scheduledFor, text }) => scheduledFor !== undefined && scheduled.has(text.trim())).length +
    edits.filter(({ saving }) => saving !== undefined && saved.has(saving.trim())).length
  );
};

const channelNames = () => new Map([alpha, omega].map((channel) => [channel?.id, channel?.name ?? ""]));

/** The texts that the browser keeps: messages, and what was added to others by edits. */
async function keptTextsOf(page: Page): Promise<Place[]> {
  const channels = channelNames();
  const messages = (await storedRecords(page)).map(({ id, recipient, text }) => ({
    content: text,
    isMoved: id.startsWith("edit-"),
    name:
      recipient.kind === "topic"
        ? conversationName(channels.get(recipient.channelId) ?? "", recipient.topic)
        : recipient.kind === "direct"
          ? "Seyton"
          : "",
  }));
  const edits = (await storedRecords(page, "edit")).map(({ text, original }) => ({
    content: [...text].filter((character) => !original.includes(character)).join(""),
    isMoved: true,
    name: "",
  }));
  return [...messages, ...edits];
}

async function scheduledOf(by: Person): Promise<Place[]> {
  const channels = channelNames();
  const { scheduled_messages } = await by.do("GET", "/scheduled_messages");
  return scheduled_messages.map(({ type, to, topic, content }: any) => ({
    content,
    name: type === "stream" ? conversationName(channels.get(to) ?? "", topic) : "Seyton",
  }));
}

const draftsOf = async (by: Person): Promise<Place[]> =>
  (await by.do("GET", "/drafts")).drafts.map(({ content }: any) => ({ content, name: "", isMoved: true }));
