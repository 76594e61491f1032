import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sendMessage } from "../../shared/messaging/messages/send/actions.ts";
import { composeDirectNotice } from "../../shared/messaging/messages/send/notices.ts";
import { checkMissedAgain } from "../../shared/messaging/missed-mail/note-missed.ts";
import { sendMissed, sweepMissed } from "../../shared/messaging/missed-mail/send.ts";
import { notifications } from "../../shared/messaging/mobile-push/log-subscriber.ts";
import { consumeLog } from "../../shared/services/jobs/log-consumer.ts";
import { loadRealm } from "../../shared/services/organization/access.ts";
import {
  findDueMail,
  listDueUserIds,
  postponeDueMail,
  seenDueMails,
} from "../../shared/store/delivery/missed-messages.ts";
import { findMessage } from "../../shared/store/messages/messages.ts";
import { withRequestScope } from "../../shared/store/table/recent-writes.ts";
import { putPresence } from "../../shared/store/users/presence.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { listWaiting, mailsTo } from "../support/mails.ts";
import { afterLease, holdLog, releaseLog } from "../support/table/follower.ts";
import { unique } from "../support/unique.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/** More calls than the log consumer, the second check and the worker that mails make. */
const [consumerCalls, checkCalls, mailingCalls] = [24, 14, 22];
/** SQS's maximum delay, which exceeds the duration of this file: the fleet's own worker must not run the job first. */
const periodSeconds = 900;

describe("a function that dies at any call (the test's own process runs the function)", () => {
  let viola: Person;

  beforeAll(async () => {
    viola = await aPerson("Viola");
    await viola.do("PATCH", "/settings", { email_notifications_batching_period_seconds: periodSeconds });
    await holdLog();
    await afterLease(() => consumeLog(notifications));
  }, 120_000);
  beforeEach(() => holdLog());
  afterAll(() => releaseLog());

  const sendToViola = async (text: string) => sendMessage(await composeDirectNotice(await loadRealm(), viola.id, text));
  const mailsWith = async (text: string) => (await mailsTo(viola.email)).filter((mail) => mail.text.includes(text));
  /** Consumes the log as a new process, which remembers nothing. */
  const consume = () => {
    seenDueMails.clear();
    return afterLease(() => withRequestScope(() => consumeLog(notifications)));
  };
  const setActive = (lastActive: number) =>
    putPresence({ userId: viola.id, lastConnected: lastActive, lastActive, updateId: 1 });
  /** Simulates the end of the batching period, recently enough that the fleet's sweeper does not see it. */
  const passPeriod = async (secondsAgo = 1) => {
    const due = await findDueMail(viola.id);
    if (due?.dueAt !== undefined) await postponeDueMail(due, Math.floor(Date.now() / 1000) - secondsAgo);
  };
  const expectMailedOnce = async (text: string) => {
    await passPeriod();
    await withRequestScope(() => sendMissed(viola.id));
    await eventually(async () => (await mailsWith(text)).length > 0);
    expect(await mailsWith(text)).toHaveLength(1);
    expect(await listWaiting(viola.id)).toEqual([]);
    expect((await findDueMail(viola.id))?.dueAt).toBeUndefined();
  };

  test.each(deathsAt(consumerCalls))(
    "while processing the log, at call %i, %s: the message is mailed nevertheless, once",
    async (step, when) => {
      const text = unique(`followed ${step} ${when}`);
      await sendToViola(text);

      const { reached } = await withFailure(step, when, consume);
      // The mail becomes due before the log is processed again.
      await passPeriod();
      await withRequestScope(() => sendMissed(viola.id));
      await consume();

      await expectMailedOnce(text);
      // Every call was covered.
      expect(reached && step === consumerCalls).toBe(false);
    },
  );

  test.each(deathsAt(checkCalls))(
    "at the second check, at call %i, %s: the retry notes the message, once",
    async (step, when) => {
      const text = unique(`checked ${step} ${when}`);
      const id = await sendToViola(text);
      await setActive(Math.floor(Date.now() / 1000) + 600);
      await consume();
      expect(await listWaiting(viola.id)).toEqual([]);
      await setActive(0);
      const { sentAt = 0, userIds = [] } = (await findMessage(id)) ?? {};
      const job = { conversation: userIds.join(), message_ids: [id], sent_at: sentAt, user_ids: [viola.id] };

      const { reached } = await withFailure(step, when, () => withRequestScope(() => checkMissedAgain(job)));
      await passPeriod();
      await withRequestScope(() => sendMissed(viola.id));
      await withRequestScope(() => checkMissedAgain(job));

      await expectMailedOnce(text);
      await withRequestScope(() => checkMissedAgain(job));
      expect(await listWaiting(viola.id)).toEqual([]);
      expect(reached && step === checkCalls).toBe(false);
    },
  );

  test.each(deathsAt(mailingCalls))("while mailing, at call %i, %s: the retry mails it, once", async (step, when) => {
    const text = unique(`mailed ${step} ${when}`);
    await sendToViola(text);
    await consume();
    await passPeriod();

    const { reached } = await withFailure(step, when, () => withRequestScope(() => sendMissed(viola.id)));

    await expectMailedOnce(text);
    expect(reached && step === mailingCalls).toBe(false);
  });

  test("mail whose job was lost is sent by the sweeper", async () => {
    const text = unique("left behind");
    await sendToViola(text);
    await consume();
    await passPeriod(120);
    expect(await listDueUserIds(Date.now() / 1000 - 60, 1000)).toContain(viola.id);

    await sweepMissed();

    await eventually(async () => (await mailsWith(text)).length > 0);
  });

  test("mailed messages are not mailed again later", async () => {
    const texts = (await mailsTo(viola.email)).map(({ text }) => text);

    expect(texts.length).toBeGreaterThan(2 * mailingCalls);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
