import { readdirSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { settings } from "../vitest.config.ts";
import { withoutHost } from "./calls-host.ts";

/** The first part of `npm run test:lag`: all cases of each resource and of outgoing webhooks, but for `exclude`. */
const include = [...readdirSync("functions"), "outgoing-webhooks"].map((resource) => `test/${resource}/**/*.test.ts`);

/**
 * What is done with the bytes of files, what services' payloads are turned into, sizes, refused parameters, and the description of
 * the API: nothing there reads what somebody has just written. `many-appear` compares everybody, also whom other files have left. The
 * second part runs `register-during-traffic`.
 */
const exclude = [
  ...["hostile-files", "hostile-pictures", "kinds", "previews"].map((name) => `test/uploads/${name}.test.ts`),
  ...["github", "github-payloads", "services"].map((name) => `test/integrations/${name}.test.ts`),
  ...["edit/edit-limits", "send/large-messages", "send/refused-messages"].map(
    (name) => `test/messages/${name}.test.ts`,
  ),
  ...["channels/refusals", "events/many-appear", "events/register-during-traffic", "reactions/reaction-limits"].map(
    (name) => `test/${name}.test.ts`,
  ),
  ...["server/hostile-names", "server/wrong-types"].map((name) => `test/${name}.test.ts`),
  "test/reference/**",
  ...withoutHost(include),
];

export default defineConfig({
  // Three workers, as in `npm test`: these cases wait as much.
  test: { ...settings, maxWorkers: 3, testTimeout: 120_000, include, exclude },
});
