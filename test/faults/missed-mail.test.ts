import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sweepOutbox } from "../../shared/jobs/outbox.ts";
import { sendMessage } from "../../shared/messages/actions.ts";
import { noticeTo } from "../../shared/messages/notices.ts";
import { noteMissedMessage } from "../../shared/missed-mail/note.ts";
import { sendMissed, sweepMissed } from "../../shared/missed-mail/send.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { followLog } from "../../shared/push/follow.ts";
import { findDueMail, listDueUserIds, listMissed, postponeDueMail } from "../../shared/store/missed-messages.ts";
import { findPushPosition, movePushPosition } from "../../shared/store/push-position.ts";
import { withFailure } from "../support/faults.ts";
import { mailsIn } from "../support/mails.ts";
import { ageOutbox } from "../support/outbox.ts";
import { aPrivateHost, type PrivateHost } from "../support/private-host.ts";
import { eventually } from "../support/waiting.ts";
import { isLocal } from "../support/world.ts";

const violaId = 2;
const viola = "viola@globe.test";

const steps = (most: number) =>
  Array.from({ length: most }, (_, step) => [[step + 1, "before"] as const, [step + 1, "afterwards"] as const]).flat();

describe.skipIf(!isLocal())("a function that dies at any call (the test's own process plays the function)", () => {
  let host: PrivateHost;
  let mailFolder: string;

  beforeAll(async () => {
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
    mailFolder = `${host.dataFolder}/aws/mail`;
    // Longer than a case takes: the fleet's own worker is not to be quicker than the one that dies.
    await host.as(viola, "PATCH", "/settings", { email_notifications_batching_period_seconds: 600 });
    await followLog();
  }, 60_000);
  afterAll(() => host?.stop());

  const missed = async (text: string) => sendMessage(await noticeTo(await accessRealm(), violaId, text));
  const mailsWith = async (text: string) =>
    (await mailsIn(mailFolder, viola)).filter((mail) => mail.text.includes(text));
  /** As if the batching period had passed. */
  const passPeriod = async () => {
    const due = await findDueMail(violaId);
    if (due) await postponeDueMail(due, Math.floor(Date.now() / 1000) - 120);
  };
  const mailedOnce = async (text: string) => {
    await passPeriod();
    await sendMissed(violaId);
    await eventually(async () => (await mailsWith(text)).length > 0);
    expect(await mailsWith(text)).toHaveLength(1);
    expect(await listMissed(violaId)).toEqual([]);
    expect(await findDueMail(violaId)).toBeUndefined();
  };

  test.each(steps(8))(
    "while following the log, at call %i, %s: the message is noted all the same",
    async (step, when) => {
      const text = `followed ${step} ${when}.`;
      const id = await missed(text);

      await withFailure(step, when, () => followLog());
      const position = await findPushPosition();
      if (position && position.leasedUntil > 0) await movePushPosition(position, { ...position, leasedUntil: 0 });
      await followLog();

      await eventually(async () => (await listMissed(violaId)).includes(id));
      await mailedOnce(text);
    },
  );

  test.each(steps(14))("while noting, at call %i, %s: the next try notes it, once", async (step, when) => {
    const text = `noted ${step} ${when}.`;
    const job = { messageId: await missed(text), after: 0, again: false };

    await withFailure(step, when, () => noteMissedMessage(job));
    await noteMissedMessage(job);
    await noteMissedMessage(job);

    await mailedOnce(text);
  });

  test.each(steps(18))("while mailing, at call %i, %s: the next try mails it, once", async (step, when) => {
    const text = `mailed ${step} ${when}.`;
    await noteMissedMessage({ messageId: await missed(text), after: 0, again: false });
    await passPeriod();

    await withFailure(step, when, () => sendMissed(violaId));
    await ageOutbox(({ body }) => body.includes(text));
    await sweepOutbox();

    await mailedOnce(text);
  });

  test("mail whose job was lost is sent by the sweeper", async () => {
    await noteMissedMessage({ messageId: await missed("left behind"), after: 0, again: false });
    await passPeriod();
    expect(await listDueUserIds(Date.now() / 1000 - 60, 10)).toEqual([violaId]);

    await sweepMissed();

    await eventually(async () => (await mailsWith("left behind")).length > 0);
  });
});
