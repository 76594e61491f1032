import { expect, onTestFinished, test } from "vitest";
import { killAtRandom, receiveWhileKilling } from "../support/hosts/killed.ts";
import { emulateStream, startFunctions } from "../support/hosts/killed-functions.ts";
import { aPrivateHost } from "../support/hosts/private-host.ts";
import { isLocal } from "../support/world.ts";

/** Like killed-processes.test.ts, with clients that wait at wake-up queues: the process that notifies them is killed too. */

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

    const { listeners, sent, stored, unacknowledged } = await receiveWhileKilling(
      killer,
      async (person, options) => {
        const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
        const body = new URLSearchParams(Object.entries(options).map(([name, value]) => [name, JSON.stringify(value)]));
        const reply = await fetch(`${host.url}/api/v1/register`, { method: "POST", headers: { authorization }, body });
        return ((await reply.json()) as { queue_id: string }).queue_id;
      },
      // Senders pause, so that at times there are no new events, and events arrive while clients wait.
      { pauseMs: 200, redirects: 3, messages: 150 },
    );
    over = true;
    await streaming;

    expect(stored).toBeGreaterThanOrEqual(sent - unacknowledged);
    for (const { received, expected } of listeners) expect(received).toEqual(expected);
  },
);
