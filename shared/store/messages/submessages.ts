import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { create, update, type Write } from "../table/writes.ts";
import { type Message, messageKey, messagePartition } from "./messages.ts";

/** What was added to a message's widget: a poll's options and votes, a list's ticks. */
export interface Submessage {
  id: number;
  messageId: number;
  senderId: number;
  type: string;
  content: string;
}

const key = ({ messageId, id }: Pick<Submessage, "messageId" | "id">) => ({
  pk: messagePartition(messageId),
  sk: `SUBMESSAGE#${padded(id)}`,
});

/** Of several messages at once, in the order of their IDs; one query for each message that has any, none for others. */
export async function listSubmessages(messages: readonly Message[]): Promise<Submessage[]> {
  const having = messages.filter(({ hasSubmessages }) => hasSubmessages);
  const lists = await Promise.all(
    having.map(({ id }) => queryItems<Submessage>({ pk: messagePartition(id), prefix: "SUBMESSAGE#" })),
  );
  return lists.flat();
}

export const createSubmessage = (submessage: Submessage): Write => create({ ...key(submessage), ...submessage });

/** Notes on the message, which must exist, that it has submessages. */
export const markSubmessages = (messageId: number): Write =>
  update(messageKey(messageId), { set: { hasSubmessages: true } }, { exists: true });
