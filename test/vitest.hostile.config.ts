import { defineConfig } from "vitest/config";
import { hostileTests, settings } from "../vitest.config.ts";

const frames = "test/hostile/frames/**/*.test.ts";

// Both projects use the same hosts.
const project = { ...settings, globalSetup: [], testTimeout: 300_000, hookTimeout: 300_000 };

/**
 * What `npm run test:hostile` runs: what the worst topics and lists take of a browser's processor, who may call what, hostile texts
 * and files, and parameters made up from the declarations.
 */
export default defineConfig({
  test: {
    ...settings,
    // Vitest begins with the project whose name comes first: the pages open before the others have filled the hosts.
    projects: [
      { test: { ...project, name: "frames", include: [frames] } },
      { test: { ...project, name: "requests", include: hostileTests, exclude: [frames] } },
    ],
  },
});
