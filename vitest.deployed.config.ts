import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The HTTP cases of each resource, which share their modules on the local host, too. */
const resources = readdirSync("functions").map((resource) => `test/${resource}/**/*.test.ts`);

/** Deaths of the workers that tell others of what happened: the tests' own process plays those of the fleet. */
const outgoing = "webhook-retries outgoing-webhooks push-registrations push-tokens push-notifications missed-mail mail";

/** These let calls of their process fail or send them elsewhere, or are what only a deployed fleet can show. */
const apart = [
  "test/clients/**/*.test.ts",
  ...outgoing.split(" ").map((name) => `test/faults/${name}.test.ts`),
  "test/scale/writing-together.test.ts",
  "test/deployed/**/*.test.ts",
];

const settings = {
  globalSetup: "test/support/deployed-host.ts",
  testTimeout: 120_000,
  hookTimeout: 120_000,
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
