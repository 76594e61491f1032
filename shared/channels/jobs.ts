import { int, list, string } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Tells people of subscriptions that began with messages later than `after`; `id` tells requests apart. */
export const tellSubscribedJob = jobKind("subscription-notices", {
  id: string(),
  by: int(),
  user_ids: list(int()),
  channel_ids: list(int()),
  after: int(),
});
