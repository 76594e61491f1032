import { list, string, timestamp } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/** A mail that has arrived: the file with its bytes, the recipients and the sender of its envelope, and the UNIX time. */
export const receiveMailJob = jobKind("incoming-mail", "receive-mail", {
  file: string(),
  to: list(string()),
  from: string(),
  received_at: timestamp(),
});
