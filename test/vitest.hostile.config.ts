import { defineConfig } from "vitest/config";
import { hostileTests, settings } from "../vitest.config.ts";

/**
 * What `npm run test:hostile` runs: who may call what, hostile texts and files, and parameters made up from the declarations.
 */
export default defineConfig({ test: { ...settings, testTimeout: 300_000, include: hostileTests } });
