import { defineConfig } from "vitest/config";
import { longTests, settings } from "./vitest.config.ts";

export default defineConfig({
  test: { ...settings, include: longTests.map((folder) => `${folder}/*.test.ts`) },
});
