import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { composeDirectNotice } from "../../shared/messaging/messages/send/notices.ts";
import { pushMessage } from "../../shared/messaging/mobile-push/fan-out.ts";
import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import { findPushedUsers } from "../../shared/store/delivery/pushed-messages.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { aDevice, bouncerRequests, registerDevice, scriptBouncer } from "../support/outside/bouncer.ts";
import { afterLease, holdLog, releaseLog } from "../support/table/follower.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/** More calls than the log consumer and the worker make. */
const [consumerCalls, notifyingCalls] = [26, 27];

describe("a function that dies at any call (the test's own process runs the function)", () => {
  const device = aDevice("fcm");
  let viola: Person;

  beforeAll(async () => {
    viola = await aPerson("Viola");
    await registerDevice(viola, device);
    await holdLog();
    await afterLease(() => consumeLog(notifications));
  }, 120_000);
  beforeEach(() => holdLog());
  afterAll(() => releaseLog());

  const sendToViola = async (text: string) => sendMessage(await composeDirectNotice(await loadRealm(), viola.id, text));
  /** The decrypted notifications that Viola's device received. */
  async function received(): Promise<any[]> {
    const requests = await bouncerRequests(`"push_account_id":${device.pushAccountId},`, "push/e2ee/notify");
    return requests
      .flatMap(({ body }) => body.push_requests as any[])
      .filter(({ payload }) => payload.push_account_id === device.pushAccountId)
      .map(({ payload }) => device.open(payload.encrypted_data));
  }
  const notificationsOf = async (id: number) => (await received()).filter(({ message_id }) => message_id === id);
  const removalsOf = async (id: number) => (await received()).filter(({ message_ids }) => message_ids?.includes(id));
  const push = (id: number) => pushMessage({ messageId: id, after: 0 });

  test.each(deathsAt(consumerCalls))(
    "while processing the log, at call %i, %s: the next run continues, and the device is notified at least once",
    async (step, when) => {
      const id = await sendToViola(`${step} ${when}`);
      expect(await notificationsOf(id)).toEqual([]);

      const { reached } = await afterLease(() => withFailure(step, when, () => consumeLog(notifications)));
      await afterLease(() => consumeLog(notifications));

      await eventually(async () => (await notificationsOf(id)).length > 0);
      // Every call was covered.
      expect(reached && step === consumerCalls).toBe(false);
    },
  );

  test.each(deathsAt(notifyingCalls))(
    "while notifying devices, at call %i, %s: the retry notifies them, and twice only if the response was not recorded",
    async (step, when) => {
      const id = await sendToViola(`${step} ${when}`);

      const { reached } = await withFailure(step, when, () => push(id));
      const isResponseLost =
        (await notificationsOf(id)).length > 0 && !(await findPushedUsers([viola.id], id)).has(viola.id);
      await push(id);
      await push(id);

      const shown = await notificationsOf(id);
      expect(shown).toHaveLength(isResponseLost ? 2 : 1);
      // A device can recognize duplicates, because both notifications are the same.
      expect(shown.at(-1)).toEqual(shown[0]);
      expect(reached && step === notifyingCalls).toBe(false);
    },
  );

  test.each(deathsAt(notifyingCalls))(
    "while notifying devices of a message that is read meanwhile, at call %i, %s: what they show is retracted",
    async (step, when) => {
      const id = await sendToViola(`read ${step} ${when}`);
      const read = () => viola.do("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });
      let isRead = false;
      // She reads it after it was sent to her devices, but before that is recorded. The log's consumer, which is held, would find
      // no notification to retract.
      const stopReading = observeTableCalls(async ({ request }, proceed) => {
        if (!isRead && JSON.stringify(request).includes(`"PUSHED#${String(id).padStart(16, "0")}"`)) {
          isRead = true;
          await read();
        }
        return proceed();
      });
      await withFailure(step, when, () => push(id)).finally(stopReading);
      if (!isRead) await read();
      await push(id);

      if ((await notificationsOf(id)).length > 0) await eventually(async () => (await removalsOf(id)).length > 0);
    },
  );

  test("between the bouncer's answer and its record: a device is notified at least once", async () => {
    const id = await sendToViola("at least once");

    let step = 0;
    do await withFailure(++step, "before", () => push(id));
    while ((await notificationsOf(id)).length === 0 && step < notifyingCalls);
    expect(await findPushedUsers([viola.id], id)).toEqual(new Set());
    await push(id);
    await push(id);

    expect(await notificationsOf(id)).toHaveLength(2);
    expect(await findPushedUsers([viola.id], id)).toEqual(new Set([viola.id]));
  });

  test("a failing bouncer is retried, and after its success the device is not notified again", async () => {
    const id = await sendToViola("in trouble");
    await scriptBouncer({ containing: `"push_account_id":${device.pushAccountId},`, times: 1, status: 503 });

    await expect(push(id)).rejects.toMatchObject({ problem: "serverError" });
    await push(id);
    await push(id);

    expect(await notificationsOf(id)).toHaveLength(2);
  });
});
