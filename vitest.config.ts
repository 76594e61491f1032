import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/deployed/**"],
    globalSetup: "test/support/local-host.ts",
    testTimeout: 20_000,
    hookTimeout: 30_000,
    fileParallelism: true,
  },
});
