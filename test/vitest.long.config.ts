import { defineConfig } from "vitest/config";
import { longTests, settings } from "../vitest.config.ts";

/** These files wait for half of their time: for pages, for killed processes, for what was written to be no longer recent. */
const base = { ...settings, maxWorkers: 3 };

const project = {
  ...base,
  // Both projects use the same hosts.
  globalSetup: [],
  // Beside other work, what takes seconds may take minutes; a case that hangs fails later.
  testTimeout: 120_000,
  hookTimeout: 300_000,
};

/**
 * These act on their worker's host only, as the files of `npm test` do, so a worker's files share modules: to load them for each
 * file takes one and a half seconds of CPU time.
 */
const shared = [
  ...longTests.filter((pattern) => !/^test\/(clients|faults|infra|scale|store)\//.test(pattern)),
  "test/clients/web-client/**/*.test.ts",
];

export default defineConfig({
  test: {
    ...base,
    // Vitest begins with the project whose name comes first: with that of the browser, whose files take longest.
    projects: [
      { test: { ...project, name: "shared", include: shared } },
      // Some of these let calls of this process fail, or send them to a host of their own.
      { test: { ...project, name: "single", isolate: true, include: longTests, exclude: shared } },
    ],
  },
});
