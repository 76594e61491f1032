import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The HTTP cases of each resource, which share their modules on the local host, too. */
const resources = readdirSync("functions").map((resource) => `test/${resource}/**/*.test.ts`);

/** Deaths of the workers that tell others of what happened: the tests' own process plays those of the fleet. */
const outgoing = "webhook-retries outgoing-webhooks push-registrations";

/** These let calls of their process fail or send them elsewhere, or are what only a deployed fleet can show. Fifty people at once (test/scale) are more than two processors bear in an emulator that starts a process for each call: the local host has them. */
const apart = [
  "test/clients/**/*.test.ts",
  ...outgoing.split(" ").map((name) => `test/faults/${name}.test.ts`),
  "test/deployed/**/*.test.ts",
];

const settings = {
  globalSetup: "test/support/hosts/deployed-host.ts",
  setupFiles: "test/support/test-process.ts",
  testTimeout: 120_000,
  hookTimeout: 120_000,
  silent: "passed-only" as const,
  // A fleet of processes in an emulator, on a machine that has other work too; what needed it is named at the end.
  retry: 1,
  // A fleet for each, in an emulator of its own: what one file does everybody's queues hear.
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...settings, name: "apart", isolate: true, include: apart } },
      { test: { ...settings, name: "resources", isolate: false, include: resources } },
    ],
  },
});
