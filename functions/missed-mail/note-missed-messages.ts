import { worker } from "../../shared/jobs/worker.ts";
import { noteMissedJob } from "../../shared/missed-mail/jobs.ts";
import { noteMissedMessage } from "../../shared/missed-mail/note.ts";

export const handler = worker(
  {
    job: noteMissedJob,
    attempts: 4,
    retryAfterSeconds: [5, 30, 120],
    timeoutSeconds: 60,
    uses: { table: "readWrite", sends: ["missed-messages", "missed-mail"] },
  },
  ({ message_id, after, again }) => noteMissedMessage({ messageId: message_id, after, again }),
);
