import { defineConfig } from "vitest/config";

/** What `npm run test:long` runs: deaths at every call, real clients, hosts that are killed, thousands of people and messages, each function's bundle. */
export const longTests = [
  ...["faults", "clients", "scale"].map((folder) => `test/${folder}/**/*.test.ts`),
  ...["local/local-host", "local/restart-at-start", "restore-table", "bundle-sizes", "smoke"].map(
    (name) => `test/infra/${name}.test.ts`,
  ),
];

export const settings = {
  globalSetup: "test/support/hosts/local-host.ts",
  setupFiles: "test/support/test-process.ts",
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Faults that tests cause are logged: a test that passes prints none of it.
  silent: "passed-only" as const,
  // A host for each: files that share one run one after the other, since what one does everybody's queues hear.
  maxWorkers: 2,
  // Modules are loaded once for all files: importing one does nothing, so that none finds traces of another.
  isolate: false,
};

export default defineConfig({
  test: {
    ...settings,
    globalSetup: [settings.globalSetup, "test/support/checks/error-codes.ts"],
    include: ["test/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: ["test/deployed/**", "test/hostile/**", ...longTests],
  },
});
