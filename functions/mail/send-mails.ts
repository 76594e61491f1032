import { handles, worker } from "../../shared/jobs/worker.ts";
import { mailJoinLinkJob, mailResetLinkJob } from "../../shared/joining/jobs.ts";
import { sendMailJob } from "../../shared/mail/jobs.ts";
import { deliverMail } from "../../shared/mail/send.ts";
import { checkMissedAgainJob, sendMissedMailsJob } from "../../shared/missed-mail/jobs.ts";
import { checkMissedAgain } from "../../shared/missed-mail/note-missed.ts";
import { sendAllMissed } from "../../shared/missed-mail/send.ts";

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
    uses: { table: "readWrite", sends: ["mail"], email: true },
  },
  handles(
    sendMailJob,
    async (job) => {
      // Loaded on demand: the SES client is a third of the code, and other jobs do not need it.
      const { sendMail } = await import("../../shared/mail/ses.ts");
      await deliverMail(job, sendMail);
    },
    leaseDelaysSeconds,
  ),
  handles(checkMissedAgainJob, checkMissedAgain),
  handles(mailJoinLinkJob, async (job) => (await import("../../shared/joining/mails.ts")).mailJoinLink(job)),
  handles(mailResetLinkJob, async (job) => (await import("../../shared/joining/mails.ts")).mailResetLink(job)),
  handles(sendMissedMailsJob, ({ user_ids }) => sendAllMissed(user_ids)),
);
