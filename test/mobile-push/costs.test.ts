import { expect } from "vitest";
import { aDevice } from "../support/outside/bouncer.ts";
import { aPerson, costTest } from "../support/world.ts";

costTest("registration costs 8 write units, or 9 for a token", async () => {
  const [first, hymen] = [await aPerson("First"), await aPerson("Hymen")];
  // The organization's first device costs more, because it starts the processing of the log.
  await first.do("POST", "/mobile_push/register", aDevice("fcm").registration);

  const device = await hymen.call("POST", "/mobile_push/register", aDevice("fcm").registration);
  const token = await hymen.call("POST", "/users/me/android_gcm_reg_id", { token: "a-token-of-hymens" });

  expect(device.cost.writeUnits).toBeLessThanOrEqual(8);
  expect(token.cost.writeUnits).toBeLessThanOrEqual(9);
  expect(device.cost.readUnits).toBeLessThanOrEqual(4.5);
});
