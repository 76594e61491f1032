import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { addPushDevice, registerWithBouncer } from "../../shared/messaging/mobile-push/registration.ts";
import { findPushDevice, type PushDevice } from "../../shared/store/delivery/push-devices.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aDevice, bouncerRequests, type Device, scriptBouncer } from "../support/outside/bouncer.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

const registrationOf = (owner: Person, device: Device) => ({
  userId: owner.id,
  pushAccountId: device.pushAccountId,
  tokenKind: "fcm" as const,
  publicKey: String(device.registration.push_public_key),
  bouncerPublicKey: String(device.registration.bouncer_public_key),
  encryptedRegistration: String(device.registration.encrypted_push_registration),
});

describe("a function that dies at any call (the test's own process runs the function)", () => {
  beforeAll(() => void vi.stubEnv("SKEIN_PUSH_BOUNCER_URL", target().bouncerUrl));
  afterAll(() => void vi.unstubAllEnvs());
  const deaths = deathsAt(4);

  /** A pending device; a scripted response keeps the fleet's own worker from registering it. */
  async function aPendingDevice() {
    const owner = await aPerson("Adam");
    const device = aDevice("fcm");
    await scriptBouncer({ containing: `"${device.pushAccountId}"`, times: 1, status: 503 });
    await addPushDevice(registrationOf(owner, device));
    await eventually(async () => (await bouncerRequests(String(device.pushAccountId))).length > 0);
    return { device, id: { userId: owner.id, pushAccountId: device.pushAccountId } };
  }

  test.concurrent.each(deaths)(
    "while registering, at call %i, %s: the retry completes it, with one event",
    async (step, when) => {
      const { device, id } = await aPendingDevice();
      const end = await logEnd();

      await withFailure(step, when, () => registerWithBouncer(id, { isLast: false }));
      await registerWithBouncer(id, { isLast: false });
      await registerWithBouncer(id, { isLast: false });

      expect(await findPushDevice(id)).toMatchObject({ status: "active", deviceId: expect.any(Number) });
      const received = await eventsAfter(
        end,
        "push_device",
        (event) => event.push_account_id === String(device.pushAccountId),
      );
      expect(received.map(({ event }) => event.status)).toEqual(["active"]);
    },
  );

  test.concurrent("at the last attempt an unresponsive bouncer is reported to the owner, and a redriven job succeeds", async () => {
    const { device, id } = await aPendingDevice();
    await scriptBouncer({ containing: `"${device.pushAccountId}"`, times: 1, status: 0 });

    await expect(registerWithBouncer(id, { isLast: true })).rejects.toMatchObject({ problem: "unreachable" });
    const failedDevice = (await findPushDevice(id)) as PushDevice;
    await registerWithBouncer(id, { isLast: false });

    expect(failedDevice).toMatchObject({ status: "failed", errorCode: "FAILED_TO_CONNECT_BOUNCER" });
    expect(await findPushDevice(id)).toMatchObject({ status: "active" });
    expect(await findPushDevice(id)).not.toHaveProperty("errorCode");
  });
});
