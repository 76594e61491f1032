import { sendMail } from "../../shared/jobs/mail.ts";
import { worker } from "../../shared/jobs/worker.ts";
import { sendMailJob } from "../../shared/mail/jobs.ts";
import { rememberMail, wasMailSent } from "../../shared/store/sent-mails.ts";

/** Sends what others have written; a job that comes again sends nothing. */
export const handler = worker(
  { job: sendMailJob, attempts: 5, uses: { table: "readWrite", email: true } },
  async ({ id, ...mail }) => {
    if (await wasMailSent(id)) return;
    if (await sendMail(mail)) await rememberMail(id);
  },
);
