import { int, list } from "../../base/schema/params.ts";
import { jobKind } from "../../services/jobs/queues.ts";

/**
 * Jobs for one user's browsers. They are jobs of their own, because users choose where their requests go: an endpoint that fails
 * or is slow delays nobody else's notifications.
 */

/** Shows a message's notification. */
export const notifyBrowsersJob = jobKind("outgoing", "notify-browsers", { user_id: int(), message_id: int() });

/** Closes the notifications of messages. */
export const clearBrowsersJob = jobKind("outgoing", "clear-browsers", { user_id: int(), message_ids: list(int()) });
