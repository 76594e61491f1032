import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The HTTP cases of each resource, and what only a deployed fleet can show. */
const resources = readdirSync("functions");

export default defineConfig({
  test: {
    include: [
      ...resources.map((resource) => `test/${resource}/**/*.test.ts`),
      "test/clients/**/*.test.ts",
      ...["webhook-retries", "outgoing-webhooks", "push-registrations", "push-tokens", "mail"].map(
        (name) => `test/faults/${name}.test.ts`,
      ),
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
    // As in vitest.config.ts: no file finds traces of another.
    isolate: false,
  },
});
