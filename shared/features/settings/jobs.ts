import { oneOf, string } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/**
 * Mail to an address came back for good, its reader has reported one as spam, or SES no longer sends there because of such a report. Only EventBridge sends this job, from what SES reports
 * about the fleet's own mails; `id` is SES's ID of the mail.
 */
export const stopMailsJob = jobKind("background-jobs", "stop-mails", {
  id: string(),
  address: string(),
  reason: oneOf(["bounce", "complaint", "suppressed"]),
});
