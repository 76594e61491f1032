import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/hosts/free-port.ts";
import { fetchTopic, sendToChannel } from "../support/messages.ts";
import { aReceiverOf } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, isLocal } from "../support/world.ts";

/** The example of docs/agents.md, as people run it, with a model that says what the test wants. */

test.skipIf(!isLocal())(
  "docs/examples/answering-bot.mjs answers a mention by a model, with what the bot may read",
  async () => {
    const [prospero, miranda] = [await aPerson("Prospero"), await aPerson("Miranda")];
    const island = await aChannel("island", [prospero, miranda]);
    const model = await aReceiverOf({ choices: [{ message: { content: "A brave vessel" } }] });
    const port = await freePort();
    const ariel = await aWebhookBot("Ariel", prospero, `http://127.0.0.1:${port}/`);
    await prospero.do("POST", "/users/me/subscriptions", {
      subscriptions: [{ name: island.name }],
      principals: [ariel.id],
    });
    const environment = {
      ...{ SKEIN_URL: target().url, BOT_EMAIL: ariel.email, BOT_API_KEY: ariel.apiKey, BOT_TOKEN: "a1b2c3" },
      ...{ MODEL_URL: `${model.url}/v1/chat/completions`, MODEL: "stand-in", PORT: String(port) },
    };
    const program = spawn(process.execPath, ["docs/examples/answering-bot.mjs"], { env: environment });
    onTestFinished(() => void program.kill("SIGKILL"));
    await once(program.stdout, "data");
    const answers = async (topic: string) =>
      (await fetchTopic(miranda, island, topic)).filter((message: any) => message.sender_id === ariel.id);

    await sendToChannel(miranda, island, "wreck", "I saw a ship");
    await sendToChannel(miranda, island, "wreck", `@**|${ariel.id}** what was it?`);
    const [answer] = await eventually(async () => {
      const found = await answers("wreck");
      return found.length > 0 && found;
    });
    const forged = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: JSON.stringify({ token: "a1b2c4" }),
    });

    expect(answer.content).toBe("A brave vessel");
    const { messages } = JSON.parse(model.requests[0]?.body ?? "");
    expect(messages.at(-1).content).toContain("I saw a ship");
    expect(forged.status).toBe(403);
    expect(model.requests.length).toBe(1);
  },
);
