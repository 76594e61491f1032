import { mailJoinLinkJob, mailResetLinkJob } from "../../shared/features/joining/jobs.ts";
import { checkMissedAgainJob, sendMissedMailsJob } from "../../shared/messaging/missed-mail/jobs.ts";
import { checkMissedAgain } from "../../shared/messaging/missed-mail/note-missed.ts";
import { sendAllMissed } from "../../shared/messaging/missed-mail/send.ts";
import { handles, worker } from "../../shared/services/jobs/worker.ts";
import { sendMailJob } from "../../shared/services/mail/jobs.ts";
import { deliverMail } from "../../shared/services/mail/send.ts";

/** The first delay is longer than the lease of an e-mail, so that the lease of a worker that died has expired. */
const leaseDelaysSeconds = [100, 100, 300, 900];

/** Sends mail that other code has queued, and mail about missed messages. */
export const handler = worker(
  {
    queue: "mail",
    attempts: 5,
    retryAfterSeconds: [5, 30, 120],
    timeoutSeconds: 60,
    serves: ["mail"],
    uses: { table: "readWrite", sends: ["mail"], email: true, secret: true, mailDomain: true },
  },
  handles(
    sendMailJob,
    async (job) => {
      // Loaded on demand: the SES client is a third of the code, and other jobs do not need it.
      const { sendMail } = await import("../../shared/services/mail/ses.ts");
      await deliverMail(job, sendMail);
    },
    leaseDelaysSeconds,
  ),
  handles(checkMissedAgainJob, checkMissedAgain),
  handles(mailJoinLinkJob, async (job) => (await import("../../shared/features/joining/mails.ts")).mailJoinLink(job)),
  handles(mailResetLinkJob, async (job) => (await import("../../shared/features/joining/mails.ts")).mailResetLink(job)),
  handles(sendMissedMailsJob, ({ user_ids }) => sendAllMissed(user_ids)),
);
