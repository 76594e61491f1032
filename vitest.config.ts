import { defineConfig } from "vitest/config";

/** What `npm run test:long` runs: deaths at every call, real clients, thousands of people and messages. */
export const longTests = ["test/faults/**", "test/clients/**", "test/scale/**"];

export const settings = {
  globalSetup: "test/support/local-host.ts",
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // One file at a time: they share a host and its organization, and what one does everybody's queues hear.
  maxWorkers: 1,
};

export default defineConfig({
  test: { ...settings, include: ["test/**/*.test.ts"], exclude: ["test/deployed/**", ...longTests] },
});
