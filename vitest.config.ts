import { defineConfig } from "vitest/config";

/** What `npm run test:long` runs: deaths at every call, real clients, thousands of people and messages. */
export const longTests = ["test/faults/**", "test/clients/**", "test/scale/**"];

export const settings = {
  globalSetup: "test/support/local-host.ts",
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // A host for each: files that share one run one after the other, since what one does everybody's queues hear.
  maxWorkers: 2,
  // Modules are loaded once for all files: importing one does nothing, so that none finds traces of another.
  isolate: false,
};

export default defineConfig({
  test: { ...settings, include: ["test/**/*.test.ts"], exclude: ["test/deployed/**", ...longTests] },
});
