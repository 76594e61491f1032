import { defineConfig } from "vitest/config";

/**
 * What `npm run test:long` runs: functions killed at every call, real clients, thousands of people and messages, random
 * histories, every permission with every kind of person, what is deployed to AWS, and the host with its services and commands.
 */
export const longTests = [
  ...["faults", "clients", "scale", "infra/aws", "infra/local", "infra/import"].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
  ...[
    "release",
    "restore-table",
    "bundles",
    "bundle-sizes",
    "smoke",
    "rate-limits",
    "readme",
    "web-types",
    "imports",
    "needs",
  ].map((name) => `test/infra/${name}.test.ts`),
  // A command of operators, on hosts of its own.
  "test/events/serve.test.ts",
  // Every permission and setting, with every kind of person whom it concerns.
  ...["channels/permissions", "channels/permission-settings", "settings/organization-effects"].map(
    (name) => `test/${name}.test.ts`,
  ),
  // The largest messages, histories and numbers of reactions, and what is read and written of a whole organization.
  ...[
    "messages/edit/edit-limits",
    "messages/send/large-messages",
    "presence/large-organizations",
    "reactions/reaction-limits",
    "store/secrets",
  ].map((name) => `test/${name}.test.ts`),
  // Some three hundred payloads.
  "test/integrations/github-payloads.test.ts",
  // Random histories against a model, many people who appear at once, twenty thousand indexed messages, and a hundred thousand in the
  // web client.
  ...[
    "events/connection-model",
    "events/many-appear",
    "events/register-during-traffic",
    "store/current-reads",
    "store/lagging-table",
    "store/people-copy",
    "store/presence-cache",
    "store/search-index",
    "web-client/long-history",
    "web-client/state",
  ].map((name) => `test/${name}.test.ts`),
];

/** What `npm run test:hostile` runs. */
export const hostileTests = [
  "test/hostile/**/*.test.ts",
  "test/uploads/hostile-*.test.ts",
  "test/server/wrong-types.test.ts",
];

export const settings = {
  // The last one ends first: what the hosts recorded is read when they have stopped.
  globalSetup: ["test/support/checks/created-items.ts", "test/support/hosts/local-host.ts"],
  setupFiles: "test/support/test-process.ts",
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // A second, the default, is too little on a busy machine.
  expect: { poll: { timeout: 30_000 } },
  // Faults that tests cause are logged: a test that passes prints none of it.
  silent: "passed-only" as const,
  // Each worker has a host of its own, because event queues receive what other files do in the organization.
  maxWorkers: 2,
  // Concurrent cases mostly wait, for example for notifications that are collected for two seconds.
  maxConcurrency: 12,
  // Modules are loaded once for all files of a worker: importing a module has no effects, so files cannot affect each other.
  isolate: false,
};

/** What `npm test` runs. It is in this folder because Vitest and editors look for it here; the others are in `test`. */
export default defineConfig({
  test: {
    ...settings,
    // These cases wait for each other and for jobs a third of their time.
    maxWorkers: 3,
    globalSetup: [...settings.globalSetup, "test/support/checks/error-codes.ts"],
    include: ["test/**/*.test.ts", "bench/**/*.test.ts"],
    exclude: ["test/deployed/**", ...hostileTests, ...longTests],
  },
});
