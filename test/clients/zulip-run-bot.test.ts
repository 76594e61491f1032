import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { environmentOf } from "../support/outside/python.ts";
import { isLocal } from "../support/world.ts";

/** Runs bots of the package zulip_bots that store state, with the package's own program. */

const owner = "owner@globe.test";
const pollOptions = { timeout: 120_000, interval: 500 };
let host: PrivateHost;
let folder: string;
let environment: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  if (!isLocal()) return;
  folder = mkdtempSync(join(tmpdir(), "skein-bots-"));
  host = await aPrivateHost();
  environment = await environmentOf(join(import.meta.dirname, "zulip-bots.requirements.txt"));
}, 600_000);

afterAll(async () => {
  await Promise.all(
    running.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }),
  );
  await host?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** Starts a bot with its own account; resolves once it waits for messages. */
async function startBot(name: string, env: Record<string, string> = {}): Promise<{ id: number; email: string }> {
  const { user_id, api_key } = await host.as(owner, "POST", "/bots", {
    full_name: name,
    short_name: name.replace("_", "-"),
  });
  const { user } = await host.as(owner, "GET", `/users/${user_id}`);
  const config = join(folder, `${name}.zuliprc`);
  writeFileSync(config, `[api]\nemail=${user.email}\nkey=${api_key}\nsite=${host.url}\n`, { mode: 0o600 });
  const program = ["python", "zulip-run-bot"].map((file) => join(environment, "bin", file));
  const child = spawn(program[0] as string, [program[1] as string, name, "--config-file", config], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1", ...env },
  });
  running.push(child);
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output, pollOptions).toContain("Running");
  return { id: user_id, email: user.email };
}

/** The messages from a bot to its owner, oldest first. */
const messagesFrom = async (bot: { email: string }): Promise<string[]> => {
  const { messages } = await host.as(owner, "GET", "/messages", {
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    narrow: [{ operator: "sender", operand: bot.email }],
    apply_markdown: false,
  });
  return messages.map(({ content }: any) => content);
};

test.skipIf(!isLocal())(
  "incrementor counts on from its stored number",
  async () => {
    const bot = await startBot("incrementor");
    const ask = () => host.as(owner, "POST", "/messages", { type: "direct", to: [bot.id], content: "count" });

    // The bot may register its event queue a moment after it reports that it runs, and misses earlier messages.
    await expect
      .poll(
        async () => {
          await ask();
          return messagesFrom(bot);
        },
        { timeout: 120_000, interval: 3000 },
      )
      .not.toEqual([]);
    const countBefore = Number((await messagesFrom(bot)).at(-1));
    await ask();

    await expect.poll(async () => Number((await messagesFrom(bot)).at(-1)), pollOptions).toBeGreaterThan(countBefore);
  },
  300_000,
);

test.skipIf(!isLocal())(
  "trivia_quiz finds its stored question when a user answers",
  async () => {
    const question = {
      question: "Who is there?",
      correct_answer: "Hamlet",
      incorrect_answers: ["Yorick", "Puck", "Ariel"],
    };
    const trivia = createServer((_, reply) => {
      reply.writeHead(200, { "content-type": "application/json" });
      reply.end(JSON.stringify({ response_code: 0, results: [question] }));
    });
    await once(trivia.listen(0, "127.0.0.1"), "listening");
    try {
      const { port } = trivia.address() as AddressInfo;
      const bot = await startBot("trivia_quiz", {
        PYTHONPATH: join(import.meta.dirname, "trivia"),
        TRIVIA_SITE: `http://127.0.0.1:${port}/`,
      });
      const ask = (content: string) => host.as(owner, "POST", "/messages", { type: "direct", to: [bot.id], content });
      const botMessages = async () => (await messagesFrom(bot)).join("\n");

      await expect
        .poll(
          async () => {
            await ask("new");
            return botMessages();
          },
          { timeout: 120_000, interval: 3000 },
        )
        .toContain("Who is there?");
      const received = await botMessages();
      const [, quiz] = /answer (Q\d+) </.exec(received) ?? [];
      const [, letter] = /\*\*([A-D])\*\* Hamlet/.exec(received.slice(received.indexOf("Who is there?"))) ?? [];
      await ask(`answer ${quiz} ${letter}`);

      await expect.poll(botMessages, pollOptions).toContain("**Hamlet** is correct, Owner!");
    } finally {
      trivia.close();
    }
  },
  300_000,
);
