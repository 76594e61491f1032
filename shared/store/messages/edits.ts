import { padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { getItems } from "../table/table.ts";
import { create, type Write } from "../table/writes.ts";
import { type Message, messagePartition } from "./messages.ts";

/** A message's content before an edit, in an item of its own, so that reading messages does not pay for it. */
export interface PreviousContent {
  messageId: number;
  /** The sequence number of the edit that replaced it. */
  number: number;
  content: string;
  html: string;
}

const key = ({ messageId, number }: Pick<PreviousContent, "messageId" | "number">) => ({
  pk: messagePartition(messageId),
  sk: `EDIT#${padded(number)}`,
});

export const createPreviousContent = (previous: PreviousContent): Write =>
  create({ ...key(previous), ...packHtml(previous) });

/** The previous contents of the given messages, by `number`; 0.5 read units for each edit of the content. */
export async function findPreviousContents(messages: readonly Message[]): Promise<Map<number, PreviousContent>> {
  const keys = messages.flatMap(({ id, editHistory = [] }) =>
    editHistory.flatMap(({ formerText }) =>
      formerText === undefined ? [] : key({ messageId: id, number: formerText }),
    ),
  );
  const found =
    keys.length === 0
      ? []
      : (await getItems<WithPackedHtml<PreviousContent>>(keys)).map(
          (item) => item && unpackHtml<PreviousContent>(item),
        );
  return new Map(found.flatMap((previous) => (previous ? [[previous.number, previous]] : [])));
}
