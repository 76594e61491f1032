import { expect, test } from "vitest";
import { hearWhileKilling, killAtRandom } from "../support/killed.ts";
import { startServing } from "../support/serving.ts";

/** The processes in which the functions run are killed (SIGKILL) at any moment, while many send and many listen. */

test("every listener hears every message once and in order, whatever is killed", { timeout: 300_000 }, async () => {
  const killing = await killAtRandom(() => startServing({ SKEIN_SERVE: "all" }));

  const { ears, sent, there, unanswered, kills } = await hearWhileKilling(
    killing,
    async (person, options) => (await person.call("POST", "/register", options)).body.queue_id,
  );
  killing.end();

  expect(kills).toBeGreaterThan(3);
  expect(there).toBeGreaterThanOrEqual(sent - unanswered);
  for (const { heard, goal } of ears) expect(heard).toEqual(goal);
});
