import { sendMail } from "../../shared/jobs/mail.ts";
import { worker } from "../../shared/jobs/worker.ts";
import { sendMailJob } from "../../shared/mail/jobs.ts";
import { mailIsSent } from "../../shared/settings.ts";
import { rememberMail, takeMail } from "../../shared/store/sent-mails.ts";

/** Sends what others have written; a job that comes again, or twice at once, sends nothing. */
export const handler = worker(
  {
    job: sendMailJob,
    attempts: 5,
    // By then nobody has the mail any more.
    retryAfterSeconds: [70, 70, 300, 900],
    uses: { table: "readWrite", email: true },
  },
  async ({ id, ...mail }) => {
    if (!mailIsSent()) return;
    const state = await takeMail(id);
    if (state === "sent") return;
    if (state === "taken") throw new Error("Another worker is sending this mail, or died doing so");
    if (await sendMail(mail)) await rememberMail(id);
  },
);
