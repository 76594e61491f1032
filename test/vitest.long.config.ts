import { defineConfig } from "vitest/config";
import { longTests, settings } from "../vitest.config.ts";

export default defineConfig({
  test: {
    ...settings,
    // These files wait for half of their time: for pages, for killed processes, for what was written to be no longer recent.
    maxWorkers: 3,
    // Beside other work, what takes seconds may take minutes; a case that hangs fails later.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // Each file has its modules to itself: some of them let calls of this process fail, or send them to a host of their own.
    isolate: true,
    include: longTests,
  },
});
