import { type EventQueue, removeQueueConnection } from "../../../store/delivery/event-queues.ts";
import { removeRecordConnection } from "../../../store/delivery/wake-up-queues.ts";

/**
 * Takes a connection from its queue, unless another one has replaced it: nothing is posted to it any more, and the client is
 * woken at its wake-up queue, if it has one. 2 write units.
 */
export async function forgetConnection(
  { userId, id }: Pick<EventQueue, "userId" | "id">,
  connectionId: string,
): Promise<void> {
  await Promise.all([removeQueueConnection({ userId, id }, connectionId), removeRecordConnection(id, connectionId)]);
}
