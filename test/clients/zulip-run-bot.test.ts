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

/** Runs bots of the package zulip_bots that store state, by the package's own program. */

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
async function run(name: string, env: Record<string, string> = {}): Promise<{ id: number; email: string }> {
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
const saidBy = async (bot: { email: string }): Promise<string[]> => {
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
  "incrementor continues to count after a restart, and edits its message",
  async () => {
    const bot = await run("incrementor");
    const ask = () => host.as(owner, "POST", "/messages", { type: "direct", to: [bot.id], content: "count" });

    // Its queue may start a moment after it reports that it runs.
    await expect
      .poll(
        async () => {
          await ask();
          return saidBy(bot);
        },
        { timeout: 120_000, interval: 3000 },
      )
      .not.toEqual([]);
    const before = Number((await saidBy(bot)).at(-1));
    await ask();

    await expect.poll(async () => Number((await saidBy(bot)).at(-1)), pollOptions).toBeGreaterThan(before);
  },
  300_000,
);

test.skipIf(!isLocal())(
  "trivia_quiz finds the stored question of an answer",
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
      const bot = await run("trivia_quiz", {
        PYTHONPATH: join(import.meta.dirname, "trivia"),
        TRIVIA_SITE: `http://127.0.0.1:${port}/`,
      });
      const ask = (content: string) => host.as(owner, "POST", "/messages", { type: "direct", to: [bot.id], content });
      const said = async () => (await saidBy(bot)).join("\n");

      await expect
        .poll(
          async () => {
            await ask("new");
            return said();
          },
          { timeout: 120_000, interval: 3000 },
        )
        .toContain("Who is there?");
      const received = await said();
      const [, quiz] = /answer (Q\d+) </.exec(received) ?? [];
      const [, letter] = /\*\*([A-D])\*\* Hamlet/.exec(received.slice(received.indexOf("Who is there?"))) ?? [];
      await ask(`answer ${quiz} ${letter}`);

      await expect.poll(said, pollOptions).toContain("**Hamlet** is correct, Owner!");
    } finally {
      trivia.close();
    }
  },
  300_000,
);
