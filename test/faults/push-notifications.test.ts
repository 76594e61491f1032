import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendMessage } from "../../shared/messages/actions.ts";
import { noticeTo } from "../../shared/messages/notices.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { pushMessage } from "../../shared/push/fan-out.ts";
import { followLog } from "../../shared/push/follow.ts";
import { findPushPosition, movePushPosition } from "../../shared/store/push-position.ts";
import { aDevice, behave, type Device, seenByBouncer } from "../support/bouncer.ts";
import { withFailure } from "../support/faults.ts";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

const violaId = 2;

async function shownOn(device: Device): Promise<any[]> {
  const requests = await seenByBouncer(`"push_account_id":${device.pushAccountId},`, "push/e2ee/notify");
  return requests
    .flatMap(({ body }) => body.push_requests as any[])
    .filter(({ payload }) => payload.push_account_id === device.pushAccountId)
    .map(({ payload }) => device.open(payload.encrypted_data));
}

describe.skipIf(!isLocal())("on a host of their own (faults and crowds would concern everybody)", () => {
  let host: PrivateHost;
  const viola = aDevice("fcm");

  beforeAll(async () => {
    process.env.SKEIN_PUSH_BOUNCER_URL = target().bouncerUrl;
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
    await host.as("viola@globe.test", "POST", "/mobile_push/register", viola.registration);
    await eventually(async () => {
      const { push_devices } = await host.as("viola@globe.test", "POST", "/register", {
        fetch_event_types: ["push_device"],
      });
      return push_devices[viola.pushAccountId]?.status === "active";
    });
  }, 60_000);
  afterAll(() => host?.stop());

  /** A message to Viola that wakes nobody. */
  const tellViola = async (text: string) => sendMessage(await noticeTo(await accessRealm(), violaId, text));
  /** As if the minute had passed for which a dead worker keeps the log. */
  const passLease = async () => {
    const position = await findPushPosition();
    if (position && position.leasedUntil > 0) await movePushPosition(position, { ...position, leasedUntil: 0 });
  };
  const steps = (most: number) =>
    Array.from({ length: most }, (_, step) => [
      [step + 1, "before"] as const,
      [step + 1, "afterwards"] as const,
    ]).flat();

  test.each(steps(8))(
    "a worker that dies while following the log, at call %i, %s, loses no message",
    async (step, when) => {
      const id = await tellViola(`${step} ${when}`);

      await withFailure(step, when, () => followLog());
      await passLease();
      await followLog();

      await eventually(async () => (await shownOn(viola)).some(({ message_id }) => message_id === id));
    },
  );

  test.each(steps(12))(
    "a worker that dies while telling devices, at call %i, %s, is made good by the next try",
    async (step, when) => {
      const id = await tellViola(`${step} ${when}`);

      await withFailure(step, when, () => pushMessage({ messageId: id, after: 0 }));
      await pushMessage({ messageId: id, after: 0 });
      await pushMessage({ messageId: id, after: 0 });

      const told = (await shownOn(viola)).filter(({ message_id }) => message_id === id);
      // Twice where it died between the bouncer's answer and the note of it: at least once is what is promised.
      expect([1, 2]).toContain(told.length);
    },
  );

  test("a bouncer in trouble is asked again, and nobody is told twice", async () => {
    const id = await tellViola("in trouble");
    await behave({ containing: `"push_account_id":${viola.pushAccountId},`, times: 1, status: 503 });

    await expect(pushMessage({ messageId: id, after: 0 })).rejects.toMatchObject({ problem: "serverError" });
    await pushMessage({ messageId: id, after: 0 });
    await pushMessage({ messageId: id, after: 0 });

    expect((await shownOn(viola)).filter(({ message_id }) => message_id === id).length).toBeLessThanOrEqual(2);
  });
});
