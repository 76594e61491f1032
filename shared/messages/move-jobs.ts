import { int } from "../http/params.ts";
import { jobKind } from "../jobs/queues.ts";

/** Goes on with a move of many messages that its request could not finish. */
export const continueMessageMove = jobKind("chores", "message-moves", { move_id: int() });
