import { int } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Brings a user's subscriptions into line with whether they are active; doing it again changes nothing. */
export const settleSubscriptionsJob = jobKind("chores", "user-subscriptions", { user_id: int() });
