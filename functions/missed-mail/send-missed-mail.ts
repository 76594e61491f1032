import { worker } from "../../shared/jobs/worker.ts";
import { sendMissedJob } from "../../shared/missed-mail/jobs.ts";
import { sendMissed } from "../../shared/missed-mail/send.ts";

export const handler = worker(
  {
    job: sendMissedJob,
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    uses: { table: "readWrite", sends: ["missed-mail", "mail"], mailFrom: true },
  },
  ({ user_id }) => sendMissed(user_id),
);
