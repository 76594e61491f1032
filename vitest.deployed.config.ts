import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The HTTP cases of each resource, and what only a deployed fleet can show. */
const resources = readdirSync("functions");

/** Deaths of the workers that tell others of what happened: the tests' own process plays those of the fleet. */
const outgoing = "webhook-retries outgoing-webhooks push-registrations push-tokens push-notifications missed-mail mail";

export default defineConfig({
  test: {
    include: [
      ...resources.map((resource) => `test/${resource}/**/*.test.ts`),
      "test/clients/**/*.test.ts",
      ...outgoing.split(" ").map((name) => `test/faults/${name}.test.ts`),
      "test/scale/writing-together.test.ts",
      "test/deployed/**/*.test.ts",
    ],
    globalSetup: "test/support/deployed-host.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A fleet of processes in an emulator, on a machine that has other work too; what needed it is named at the end.
    retry: 1,
    // A fleet for each, in an emulator of its own: what one file does everybody's queues hear.
    maxWorkers: 2,
  },
});
