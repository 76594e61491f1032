import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { composeDirectNotice } from "../../shared/messaging/messages/send/notices.ts";
import { pushMessage, removeNotifications } from "../../shared/messaging/mobile-push/fan-out.ts";
import { addPushToken, removePushToken, syncWithBouncer } from "../../shared/messaging/mobile-push/tokens.ts";
import { sweepOutbox } from "../../shared/services/jobs/outbox.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findPushToken, listPushTokens } from "../../shared/store/delivery/push-tokens.ts";
import { findPushedUsers, listPushedAmong } from "../../shared/store/delivery/pushed-messages.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { bouncerRequests, scriptBouncer } from "../support/outside/bouncer.ts";
import { holdLog, releaseLog } from "../support/table/follower.ts";
import { ageOutbox } from "../support/table/outbox.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

const aToken = () => randomBytes(16).toString("hex");
const fcmToken = (owner: Person, token: string) => ({ userId: owner.id, kind: "fcm" as const, token });

/** Legacy devices, which the bouncer identifies by their tokens. */
describe("a function that dies at any call (the test's own process runs the function)", () => {
  let adam: Person;
  const [androidToken, appleToken] = [aToken(), aToken()];

  beforeAll(async () => {
    adam = await aPerson("Adam");
    await adam.do("POST", "/users/me/android_gcm_reg_id", { token: androidToken });
    await adam.do("POST", "/users/me/apns_device_token", { token: appleToken, appid: "test.app" });
    await eventually(
      async () => (await bouncerRequests(androidToken)).length + (await bouncerRequests(appleToken)).length > 1,
    );
    await holdLog();
  });
  beforeEach(() => holdLog());
  afterAll(() => releaseLog());

  const notifyAdam = async (text: string) => sendMessage(await composeDirectNotice(await loadRealm(), adam.id, text));
  /** The notifications of a message that Adam's devices received, by its ID; both are in one request. */
  const notificationsOf = async (id: number) =>
    (await bouncerRequests(androidToken, "push/notify")).filter(({ body }) => body.gcm_payload.zulip_message_id === id);

  test.each(deathsAt(14))(
    "while notifying legacy devices, at call %i, %s: the retry notifies them, and twice only if the response was not recorded",
    async (step, when) => {
      const id = await notifyAdam(`${step} ${when}`);

      await withFailure(step, when, () => pushMessage({ messageId: id, after: 0 }));
      const isResponseLost =
        (await notificationsOf(id)).length > 0 && !(await findPushedUsers([adam.id], id)).has(adam.id);
      await pushMessage({ messageId: id, after: 0 });
      await pushMessage({ messageId: id, after: 0 });

      const requests = await notificationsOf(id);
      expect(requests).toHaveLength(isResponseLost ? 2 : 1);
      // A device can recognize duplicates, because both notifications are the same.
      expect(requests.at(-1)).toEqual(requests[0]);
      expect(requests[0]?.body).toMatchObject({
        apns_payload: { custom: { zulip: { message_ids: [id] } } },
        android_devices: [androidToken],
        apple_devices: [appleToken],
      });
    },
  );

  test("between the bouncer's answer and its record: a device is notified at least once", async () => {
    const id = await notifyAdam("at least once");

    let step = 0;
    do await withFailure(++step, "before", () => pushMessage({ messageId: id, after: 0 }));
    while ((await notificationsOf(id)).length === 0 && step < 30);
    expect(await findPushedUsers([adam.id], id)).toEqual(new Set());
    await pushMessage({ messageId: id, after: 0 });
    await pushMessage({ messageId: id, after: 0 });

    expect((await notificationsOf(id)).map(({ body }) => body.gcm_payload.zulip_message_id)).toEqual([id, id]);
    expect(await findPushedUsers([adam.id], id)).toEqual(new Set([adam.id]));
  });

  test.each(deathsAt(7))(
    "while retracting a notification, at call %i, %s: the next attempt retracts it",
    async (step, when) => {
      const id = await notifyAdam(`away ${step} ${when}`);
      await pushMessage({ messageId: id, after: 0 });

      await withFailure(step, when, () => removeNotifications(adam.id, [id]));
      await removeNotifications(adam.id, [id]);
      await removeNotifications(adam.id, [id]);

      const removals = (await notificationsOf(id)).filter(({ body }) => body.gcm_payload.event === "remove");
      // A second removal changes nothing for a device.
      expect([1, 2]).toContain(removals.length);
      expect(await listPushedAmong(adam.id, [id])).toEqual([]);
    },
  );

  test("a failing bouncer is retried", async () => {
    const id = await notifyAdam("in trouble");
    await scriptBouncer({ containing: `"zulip_message_id":${id},`, times: 1, status: 503 });

    await expect(pushMessage({ messageId: id, after: 0 })).rejects.toMatchObject({ problem: "serverError" });
    await pushMessage({ messageId: id, after: 0 });
    await pushMessage({ messageId: id, after: 0 });

    expect(await notificationsOf(id)).toHaveLength(2);
  });

  test.each(deathsAt(4))(
    "while adding a token, at call %i, %s: it is not stored, or it is registered with the bouncer",
    async (step, when) => {
      const owner = await aPerson("Corin");
      const token = aToken();

      await withFailure(step, when, () => addPushToken(fcmToken(owner, token)));
      await ageOutbox(({ body }) => body.includes(token));
      await sweepOutbox();

      if (await findPushToken(fcmToken(owner, token)))
        await eventually(async () => (await bouncerRequests(token, "push/register")).length > 0);
      else expect(await bouncerRequests(token)).toEqual([]);
    },
  );

  test.each(deathsAt(4))(
    "while removing a token, at call %i, %s: it is still stored, or it is unregistered from the bouncer",
    async (step, when) => {
      const owner = await aPerson("Corin");
      const token = aToken();
      await owner.do("POST", "/users/me/android_gcm_reg_id", { token });
      await eventually(async () => (await bouncerRequests(token, "push/register")).length > 0);

      await withFailure(step, when, () => removePushToken(fcmToken(owner, token)));
      await ageOutbox(({ body }) => body.includes(token));
      await sweepOutbox();

      if ((await listPushTokens(owner.id)).length === 0)
        await eventually(async () => (await bouncerRequests(token, "push/unregister")).length > 0);
      else expect(await bouncerRequests(token, "push/unregister")).toEqual([]);
    },
  );

  test.each(deathsAt(3))(
    "while registering a token, at call %i, %s: the retry completes it, and a repetition is harmless",
    async (step, when) => {
      const owner = await aPerson("Corin");
      const token = aToken();
      await scriptBouncer({ containing: token, times: 1, status: 200, body: { result: "success", msg: "" } });
      await addPushToken(fcmToken(owner, token));
      await eventually(async () => (await bouncerRequests(token)).length > 0);

      await withFailure(step, when, () => syncWithBouncer(fcmToken(owner, token)));
      await syncWithBouncer(fcmToken(owner, token));
      await syncWithBouncer(fcmToken(owner, token));

      const registrations = await bouncerRequests(token, "push/register");
      expect(registrations.length).toBeGreaterThan(2);
      expect(new Set(registrations.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await findPushToken(fcmToken(owner, token))).toMatchObject({ token });
    },
  );
});
