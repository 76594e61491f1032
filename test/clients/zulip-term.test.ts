import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { hasTmux, openTerminal, type Terminal } from "../support/hosts/terminal.ts";
import { environmentOf } from "../support/outside/python.ts";
import { isLocal } from "../support/world.ts";

/** Runs the terminal client Zulip Terminal on a private host. */

const owner = "owner@globe.test";
const viola = "viola@globe.test";
const canRun = isLocal() && hasTmux();
const pollOptions = { timeout: 60_000, interval: 300 };
let host: PrivateHost;
let folder: string;
let environment: string;
let terminal: Terminal;
let ids: { owner: number; viola: number };

beforeAll(async () => {
  if (!canRun) return;
  folder = mkdtempSync(join(tmpdir(), "skein-terminal-"));
  host = await aPrivateHost();
  const { members } = await host.as(owner, "GET", "/users");
  const idOf = (email: string) => members.find((user: any) => user.email === email).user_id;
  ids = { owner: idOf(owner), viola: idOf(viola) };
  await sendMessage("Shall I compare thee to a summer's day?");
  const { api_key } = await host.as(undefined, "POST", "/dev_fetch_api_key", { username: owner });
  const config = join(folder, "zuliprc");
  writeFileSync(config, `[api]\nemail=${owner}\nkey=${api_key}\nsite=${host.url}\n`, { mode: 0o600 });
  environment = await environmentOf(join(import.meta.dirname, "zulip-term.requirements.txt"));
}, 600_000);
// Runs before each attempt, because a dialog that an earlier attempt left open would take the keys of the next one.
beforeEach(async () => {
  if (!canRun) return;
  const program = ["python", "zulip-term"].map((name) => join(environment, "bin", name));
  terminal = await openTerminal([...program, "--config-file", join(folder, "zuliprc")], folder);
});
afterEach(() => terminal?.close());

afterAll(async () => {
  await host?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const sendMessage = (content: string) =>
  host.as(viola, "POST", "/messages", { type: "channel", to: "stage", topic: "sonnets", content });
/** The Markdown of the owner's newest message that contains a text. */
const messageWith = async (text: string) => {
  const { messages } = await host.as(owner, "GET", "/messages", {
    anchor: "newest",
    num_before: 50,
    num_after: 0,
    apply_markdown: false,
  });
  return messages.findLast(({ content }: any) => content.includes(text));
};

/** Closes the compose box. A terminal recognizes Escape by the pause after it. */
async function closeComposeBox() {
  await terminal.press("Escape");
  await terminal.shows(/^(?!.*▶ sonnets)/s);
  await pause(1000);
}

test.skipIf(!canRun)(
  "a user reads, writes, reacts, edits, stars and searches in the terminal",
  async () => {
    // The client starts with its channels and the first unread message.
    await terminal.shows("Shall I compare thee");
    expect(await terminal.screen()).toMatch(/# stage|P stage/);

    // Shows a message that arrives while the client is open.
    await terminal.until("stage ▶  sonnets", () => terminal.press("a"));
    await sendMessage("Thou art more **lovely**");
    await terminal.shows("Thou art more lovely");

    // Narrows to the topic of the selected message.
    await terminal.press("l");
    await terminal.until("topic narrow", () => terminal.press("S"));

    // Sends a reply.
    await terminal.until("▶ sonnets", () => terminal.press("r"));
    await terminal.type("and more temperate");
    await terminal.press("C-d");
    await expect.poll(() => messageWith("temperate"), pollOptions).toMatchObject({ sender_email: owner });
    await terminal.shows("and more temperate");
    await closeComposeBox();

    // Adds a reaction and a star to the newest message, which is the user's own, and edits it.
    await terminal.press("G");
    await terminal.press("+");
    await expect
      .poll(() => messageWith("temperate"), pollOptions)
      .toMatchObject({ reactions: [{ emoji_code: "1f44d", user_id: ids.owner }] });
    await terminal.press("*");
    await expect
      .poll(() => messageWith("temperate"), pollOptions)
      .toMatchObject({ flags: expect.arrayContaining(["starred"]) });
    await terminal.press("e");
    await terminal.type(" indeed");
    await terminal.press("C-d");
    await expect
      .poll(() => messageWith("temperate"), pollOptions)
      .toMatchObject({ content: "and more temperate indeed" });
    await terminal.shows("and more temperate indeed");

    // Searches, once the message is indexed, and lists starred messages.
    const countResults = async () =>
      (
        await host.as(owner, "GET", "/messages", {
          anchor: "newest",
          num_before: 5,
          num_after: 0,
          narrow: [{ operator: "search", operand: "lovely" }],
        })
      ).messages.length;
    await expect.poll(countResults, { timeout: 150_000, interval: 1000 }).toBeGreaterThan(0);
    await terminal.until(/^(?!.*temperate).*Thou art more lovely/s, async () => {
      await closeComposeBox();
      await terminal.press("/");
      await terminal.type("lovely");
      await terminal.press("Enter");
    });
    await terminal.press("Escape");
    await terminal.until("Starred messages  Search", () => terminal.press("f"));
    await terminal.shows("and more temperate indeed");

    // Shows direct messages and their typing notifications.
    await host.do(viola, "POST", "/messages", { type: "direct", to: [ids.owner], content: "Speak, I beseech thee" });
    await terminal.press("P");
    await terminal.shows("Speak, I beseech thee");
    await terminal.until("is typing", async () => {
      // Narrows to the conversation, because typing is only shown there.
      await terminal.press("s");
      await host.do(viola, "POST", "/typing", { op: "start", to: [ids.owner] });
    });
  },
  600_000,
);
