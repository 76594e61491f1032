import { jobKind } from "../../jobs/queues.ts";
import { int } from "../../schema/params.ts";

/** Continues a move of many messages that its request could not finish in time. */
export const continueMessageMoveJob = jobKind("background-jobs", "continue-message-move", { move_id: int() });
