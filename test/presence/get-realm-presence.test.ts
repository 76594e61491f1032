import { expect, test } from "vitest";
import { aPerson } from "../support/world.ts";

test("returns when each user was last active, by address", async () => {
  const margaret = await aPerson("Margaret");
  await margaret.do("POST", "/users/me/presence", { status: "idle" });

  const { body } = await margaret.call("GET", "/realm/presence");

  expect(body.server_timestamp).toBeGreaterThan(Date.now() / 1000 - 60);
  expect(body.presences[margaret.email]).toMatchObject({
    aggregated: { client: "website", timestamp: expect.any(Number) },
    website: { pushable: false },
  });
});
