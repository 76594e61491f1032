import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { settings } from "../vitest.config.ts";

/** The first part of `npm run test:lag`: all cases of each resource, but for `exclude`. */
const include = readdirSync("functions").map((resource) => `test/${resource}/**/*.test.ts`);

/**
 * What is done with the bytes of files, what services' payloads are turned into, and the description of the API: nothing there
 * reads what somebody has just written.
 */
const exclude = [
  ...["hostile-files", "hostile-pictures", "kinds", "previews"].map((name) => `test/uploads/${name}.test.ts`),
  ...["github", "services"].map((name) => `test/integrations/${name}.test.ts`),
  "test/reference/**",
];

export default defineConfig({ test: { ...settings, testTimeout: 120_000, include, exclude } });
