import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { alreadyDone } from "../table/conflicts.ts";
import { create, type Write, withRefusal } from "../table/writes.ts";

/** The message that a client sent under a local ID. It makes sending idempotent: a repeated request creates no second message. */

/** What identifies a client's message: local IDs are unique within an event queue. */
interface LocalId {
  senderId: number;
  queueId: string;
  localId: string;
}

/** For how long a client may repeat a request. The table's TTL removes the record some hours later. */
const retentionSeconds = secondsPerDay;

const key = ({ senderId, queueId, localId }: LocalId) => ({
  pk: `SENT#${senderId}#${queueId}`,
  sk: `LOCAL#${localId}`,
});

/** Part of the message's transaction, which throws AlreadyDone with this record if the message was sent before; 2 write units. */
export const createLocalId = (id: LocalId, messageId: number): Write =>
  withRefusal(create({ ...key(id), messageId, expiresAt: nowSeconds() + retentionSeconds }), alreadyDone);
