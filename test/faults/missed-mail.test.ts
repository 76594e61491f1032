import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { consumeLog } from "../../shared/jobs/log-consumer.ts";
import { sweepOutbox } from "../../shared/jobs/outbox.ts";
import { sendMessage } from "../../shared/messages/send/actions.ts";
import { composeDirectNotice } from "../../shared/messages/send/notices.ts";
import { recordMissedMessage } from "../../shared/missed-mail/record-missed.ts";
import { sendMissed, sweepMissed } from "../../shared/missed-mail/send.ts";
import { notifications } from "../../shared/mobile-push/log-subscriber.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import {
  findDueMail,
  listDueUserIds,
  listMissedIds,
  postponeDueMail,
} from "../../shared/store/delivery/missed-messages.ts";
import { deathsAt, withFailure } from "../support/faults.ts";
import { mailsTo } from "../support/mails.ts";
import { afterLease, holdLog, releaseLog } from "../support/table/follower.ts";
import { ageOutbox } from "../support/table/outbox.ts";
import { unique } from "../support/unique.ts";
import { eventually } from "../support/waiting.ts";
import { aPerson, type Person } from "../support/world.ts";

/** More calls than the log consumer and the two workers make. */
const [consumerCalls, recordingCalls, mailingCalls] = [14, 18, 30];
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

  const sendToViola = async (text: string) =>
    sendMessage(await composeDirectNotice(await accessRealm(), viola.id, text));
  const mailsWith = async (text: string) => (await mailsTo(viola.email)).filter((mail) => mail.text.includes(text));
  /** Simulates the end of the batching period, recently enough that the fleet's sweeper does not see it. */
  const passPeriod = async (secondsAgo = 1) => {
    const due = await findDueMail(viola.id);
    if (due) await postponeDueMail(due, Math.floor(Date.now() / 1000) - secondsAgo);
  };
  const expectMailedOnce = async (text: string) => {
    await passPeriod();
    await sendMissed(viola.id);
    await eventually(async () => (await mailsWith(text)).length > 0);
    expect(await mailsWith(text)).toHaveLength(1);
    expect(await listMissedIds(viola.id)).toEqual([]);
    expect(await findDueMail(viola.id)).toBeUndefined();
  };

  test.each(deathsAt(consumerCalls))(
    "while processing the log, at call %i, %s: the message is recorded nevertheless",
    async (step, when) => {
      const text = unique(`followed ${step} ${when}`);
      const id = await sendToViola(text);

      const { reached } = await afterLease(() => withFailure(step, when, () => consumeLog(notifications)));
      await afterLease(() => consumeLog(notifications));

      await eventually(async () => (await listMissedIds(viola.id)).includes(id) && (await findDueMail(viola.id)));
      await expectMailedOnce(text);
      // Every call was covered.
      expect(reached && step === consumerCalls).toBe(false);
    },
  );

  test.each(deathsAt(recordingCalls))(
    "while recording, at call %i, %s: the retry records it, once",
    async (step, when) => {
      const text = unique(`noted ${step} ${when}`);
      const job = { messageId: await sendToViola(text), after: 0, again: false };

      const { reached } = await withFailure(step, when, () => recordMissedMessage(job));
      await recordMissedMessage(job);
      await recordMissedMessage(job);

      await expectMailedOnce(text);
      expect(reached && step === recordingCalls).toBe(false);
    },
  );

  test.each(deathsAt(mailingCalls))("while mailing, at call %i, %s: the retry mails it, once", async (step, when) => {
    const text = unique(`mailed ${step} ${when}`);
    await recordMissedMessage({ messageId: await sendToViola(text), after: 0, again: false });
    await passPeriod();

    const { reached } = await withFailure(step, when, () => sendMissed(viola.id));
    await ageOutbox(({ body }) => body.includes(text));
    await sweepOutbox();

    await expectMailedOnce(text);
    expect(reached && step === mailingCalls).toBe(false);
  });

  test("mail whose job was lost is sent by the sweeper", async () => {
    const text = unique("left behind");
    await recordMissedMessage({ messageId: await sendToViola(text), after: 0, again: false });
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
