import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { expectEverythingOnce, killTestSize, receiveConnected, register } from "../support/hosts/connected-clients.ts";
import { startHostChild } from "../support/hosts/host-child.ts";
import { killAtRandom, receiveWhileKilling, type Victim } from "../support/hosts/killed.ts";
import { isLocal } from "../support/world.ts";

/** Like killed-connections.test.ts: one machine's host is killed with all that it does. */

test.skipIf(!isLocal())(
  "every connected client receives every message once and in order, however often the host is killed (local host only)",
  { timeout: 400_000 },
  async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), "skein-killed-"));
    let environment: Record<string, string> | undefined;
    const killer = await killAtRandom(
      async (): Promise<Victim> => {
        const host = await startHostChild(dataFolder);
        environment ??= host.environment;
        return host;
      },
      { processCount: 1, restMs: 1_000 },
    );
    Object.assign(process.env, environment);
    onTestFinished(async () => {
      killer.end();
      await killer.stopKilling();
      await rm(dataFolder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    });

    const result = await receiveWhileKilling(
      killer,
      (person, options) => register(killer.pick().url, person, options),
      {
        ...{ ...killTestSize, receive: receiveConnected },
        listIds: async (channelId, sender, requestAnywhere) => {
          const narrow = JSON.stringify([{ operator: "channel", operand: channelId }]);
          const range = { anchor: "newest", num_before: 5000, num_after: 0, narrow };
          const { messages } = await requestAnywhere(sender, "GET", "/messages", range);
          return messages.map(({ id }: { id: number }) => id);
        },
      },
    );

    expectEverythingOnce(result);
  },
);
