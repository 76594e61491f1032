import { expect, onTestFinished, test } from "vitest";
import { killAtRandom, receiveWhileKilling } from "../support/hosts/killed.ts";
import { startServing } from "../support/hosts/serving.ts";

/** The processes that run the functions are killed (SIGKILL) at random moments while many clients send and receive. */

test("every listener gets every message once and in order, whichever process is killed", {
  timeout: 400_000,
}, async () => {
  const killer = await killAtRandom(() => startServing({ SKEIN_SERVE: "all" }));
  onTestFinished(() => killer.end());

  const { listeners, sent, stored, unacknowledged } = await receiveWhileKilling(
    killer,
    async (person, options) => (await person.call("POST", "/register", options)).body.queue_id,
    { messages: 300 },
  );

  expect(stored).toBeGreaterThanOrEqual(sent - unacknowledged);
  for (const { received, expected } of listeners) expect(received).toEqual(expected);
});
