import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/deployed/**"],
    globalSetup: "test/support/local-host.ts",
    testTimeout: 60_000,
    hookTimeout: 120_000,
    fileParallelism: true,
  },
});
