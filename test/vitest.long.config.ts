import { defineConfig } from "vitest/config";
import { longTests, settings } from "../vitest.config.ts";

export default defineConfig({
  // Each file has its modules to itself: some of them let calls of this process fail, or send them to a host of their own.
  test: { ...settings, isolate: true, include: longTests },
});
