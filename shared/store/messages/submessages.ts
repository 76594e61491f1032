import { creationLimits } from "../../base/creation-limits.ts";
import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/reads.ts";
import { create, update, type Write } from "../table/writes.ts";
import { type Message, messageKey, messagePartition } from "./messages.ts";

/** An interaction with a message's widget, such as a vote in a poll or a ticked item of a to-do list. */
export interface Submessage {
  /** Unique within the message, in the order in which they were added. */
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

/** The ID of a submessage that is added with this event, above those of imported submessages, which count from 1 in each message. */
export const submessageIdOf = (event: number): number => creationLimits.submessage.max + event;

/** The submessages of several messages; one query for each message that has any. */
export async function listSubmessages(messages: readonly Message[]): Promise<Submessage[]> {
  const parents = messages.filter(({ hasSubmessages }) => hasSubmessages);
  const lists = await Promise.all(
    parents.map(({ id }) => queryItems<Submessage>({ pk: messagePartition(id), prefix: "SUBMESSAGE#", ...corrected })),
  );
  return lists.flat();
}

export const createSubmessage = (submessage: Submessage): Write => create({ ...key(submessage), ...submessage });

/** Marks a message, which must exist, as having submessages. */
export const markSubmessages = (messageId: number): Write =>
  update(messageKey(messageId), { set: { hasSubmessages: true } }, { exists: true });
