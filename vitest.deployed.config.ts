import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The HTTP cases of each resource, and what only a deployed fleet can show. */
const resources = readdirSync("functions");

export default defineConfig({
  test: {
    include: [
      ...resources.map((resource) => `test/${resource}/**/*.test.ts`),
      "test/clients/**/*.test.ts",
      "test/deployed/**/*.test.ts",
    ],
    globalSetup: "test/support/deployed-host.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Functions start cold here, one process each: most of the time is waiting.
    maxWorkers: 4,
    // Queues hear of the public channels and people that other files make at the same time. On one machine, where one
    // file runs at a time, a case that fails has failed.
    retry: 2,
  },
});
