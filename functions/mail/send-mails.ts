import { does, worker } from "../../shared/jobs/worker.ts";
import { sendMailJob } from "../../shared/mail/jobs.ts";
import { deliverMail } from "../../shared/mail/send.ts";
import { noteMissedJob, sendMissedJob } from "../../shared/missed-mail/jobs.ts";
import { noteMissedMessage } from "../../shared/missed-mail/note.ts";
import { sendMissed } from "../../shared/missed-mail/send.ts";

const soon = [5, 30, 120];
/** By the first of these nobody has the mail any more who took it and died. */
const afterTaken = [100, 100, 300, 900];

/** Mails what others have written, and what people have missed. */
export const handler = worker(
  {
    queue: "mail",
    attempts: 5,
    timeoutSeconds: 60,
    serves: ["mail"],
    uses: { table: "readWrite", sends: ["mail"], email: true },
  },
  does(
    sendMailJob,
    async (job) => {
      // The client of SES is a third of what would be loaded to note what was missed.
      const { sendMail } = await import("../../shared/jobs/mail.ts");
      await deliverMail(job, sendMail);
    },
    afterTaken,
  ),
  does(
    noteMissedJob,
    ({ message_id, after, again }) => noteMissedMessage({ messageId: message_id, after, again }),
    soon,
  ),
  does(sendMissedJob, ({ user_id }) => sendMissed(user_id), soon),
);
