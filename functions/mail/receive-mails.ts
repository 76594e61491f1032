import {
  authenticationMethods,
  incomingMailFolder,
  receiveMailJob,
} from "../../shared/messaging/incoming-mail/jobs.ts";
import { makePreviewsJob } from "../../shared/messaging/uploads/jobs.ts";
import { handles, sesTrigger, worker } from "../../shared/services/jobs/worker.ts";

/** Posts the mail that arrives at the addresses of channels, and replies to mail about missed messages. */
export const handler = worker(
  {
    queue: receiveMailJob.queue,
    attempts: 5,
    retryAfterSeconds: [5, 60, 300],
    timeoutSeconds: 120,
    // A mail is in memory several times: as it came, and each of its parts.
    memoryMb: 1024,
    batchSize: 1,
    concurrency: 2,
    serves: ["incoming-mail"],
    invokedBySes: sesTrigger(receiveMailJob, ({ mail, receipt }) => ({
      file: `${incomingMailFolder}${mail.messageId}`,
      // SES may say nothing, or "<>", of a mail without a sender, such as a delivery report.
      from: (mail.source ?? "").replace(/^<>$/, ""),
      to: receipt.recipients,
      received_at: Math.floor(Date.parse(receipt.timestamp) / 1000),
      // SES accepts mail for any name in the domain.
      unchecked: true,
      // Beside the mail, where no sender can have written it.
      passed:
        receipt.dmarcVerdict.status === "FAIL"
          ? []
          : authenticationMethods.filter((method) => receipt[`${method}Verdict`].status === "PASS"),
    })),
    uses: {
      table: "readWrite",
      files: "readWrite",
      secret: true,
      mailDomain: true,
      sends: ["mail", "outgoing", "background-jobs", makePreviewsJob.queue],
    },
  },
  // Loaded on demand: the parser of mails is most of the code.
  handles(receiveMailJob, async (job) =>
    (await import("../../shared/messaging/incoming-mail/deliver.ts")).receiveMail(job),
  ),
);
