import { defineConfig } from "vitest/config";
import { settings } from "../vitest.config.ts";

/** The second part of `npm run test:lag`: people who do random things, and what each of them must see. */
const include = [
  "test/scale/message-model.test.ts",
  "test/scale/permission-model.test.ts",
  "test/scale/mail-model.test.ts",
  "test/events/register-during-traffic.test.ts",
  "test/users/sessions/histories.test.ts",
];

export default defineConfig({
  // Each file has its modules to itself: the model of mail sends the calls of this process to a host of its own. All five run at
  // once, because each does one thing after another and waits for its host meanwhile.
  test: { ...settings, maxWorkers: 5, isolate: true, testTimeout: 600_000, include },
});
