import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { recordOf } from "../../infra/local/log-source.ts";
import { readHead } from "../../shared/store/log/log.ts";
import { readEntries } from "../../shared/store/log/tail.ts";
import { killAtRandom, type RandomKiller, receiveWhileKilling, type Victim } from "../support/hosts/killed.ts";
import { aPrivateHost } from "../support/hosts/private-host.ts";
import { isLocal } from "../support/world.ts";

/** Like killed-processes.test.ts, with clients that wait at wake-up queues: the process that notifies them is killed too. */

async function startFunctions(environment: Record<string, string>): Promise<Victim> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "test/support/hosts/wake-up-functions.ts"],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { PATH: process.env.PATH, ...environment },
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.once("message", (message: { url: string }) => resolve(message.url));
    child.once("exit", (code) => reject(new Error(`The functions ended with code ${code}`)));
  });
  return { child, url };
}

let batches = 0;

/** Has a process notify the clients that wait for the events of a batch; false if it died before it confirmed the batch. */
const deliverBatch = (child: ChildProcess, event: object) =>
  new Promise<boolean>((resolve) => {
    const number = ++batches;
    const finish = (done: boolean) => {
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(done);
    };
    const onMessage = (message: { number?: number }) => message.number === number && finish(true);
    const onExit = () => finish(false);
    child.on("message", onMessage);
    child.once("exit", onExit);
    if (!child.connected) return finish(false);
    child.send({ number, event }, (error) => error && finish(false));
  });

/** Simulates the table's stream: each batch goes to one function at a time, with up to two retries when it dies. */
async function emulateStream(killer: RandomKiller<Victim>, isOver: () => boolean): Promise<void> {
  let lastSequence = (await readHead()).event;
  const notifiedSequences = new Set<number>();
  while (!isOver()) {
    const { event: head } = await readHead();
    const entries = (await readEntries(lastSequence, head, { consistent: true })).filter(
      ({ sequence }) => !notifiedSequences.has(sequence),
    );
    for (const { sequence } of entries) notifiedSequences.add(sequence);
    // Advances to the first sequence number without an entry, from which the next round reads again.
    while (notifiedSequences.delete(lastSequence + 1)) lastSequence++;
    const event = { Records: entries.map(recordOf) };
    for (let attempt = 0; attempt < 3 && entries.length > 0; attempt++) {
      if (await deliverBatch(killer.pick().child, event)) break;
    }
    await pause(10);
  }
}

test.skipIf(!isLocal())(
  "every client at a wake-up queue receives every message once and in order, whatever is killed (local host only)",
  { timeout: 600_000 },
  async () => {
    const host = await aPrivateHost({ SKEIN_WAITING: "wake-up-queue" });
    // The helpers that create users and read the log find the host's table in this process's environment.
    Object.assign(process.env, host.environment);
    const killer = await killAtRandom(() => startFunctions(host.environment));
    let over = false;
    onTestFinished(async () => {
      over = true;
      killer.end();
      await host.stop();
    });
    const streaming = emulateStream(killer, () => over);

    const { listeners, sent, stored, unanswered } = await receiveWhileKilling(
      killer,
      async (person, options) => {
        const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
        const body = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, JSON.stringify(value)]));
        const reply = await fetch(`${host.url}/api/v1/register`, { method: "POST", headers: { authorization }, body });
        return ((await reply.json()) as { queue_id: string }).queue_id;
      },
      // Senders pause, so that at times there are no new events, and events arrive while clients wait.
      { pauseMs: 200, redirects: 6 },
    );
    over = true;
    await streaming;

    expect(stored).toBeGreaterThanOrEqual(sent - unanswered);
    for (const { received, expected } of listeners) expect(received).toEqual(expected);
  },
);
