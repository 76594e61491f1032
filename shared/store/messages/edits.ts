import { padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { getItems } from "../table/table.ts";
import { create, type Write } from "../table/writes.ts";
import { type Message, messagePartition } from "./messages.ts";

/** A message's text before an edit, in an item of its own, so that reading messages does not pay for it. */
export interface FormerText {
  messageId: number;
  /** The sequence number of the edit that replaced it. */
  number: number;
  content: string;
  html: string;
}

const key = ({ messageId, number }: Pick<FormerText, "messageId" | "number">) => ({
  pk: messagePartition(messageId),
  sk: `EDIT#${padded(number)}`,
});

export const createFormerText = (text: FormerText): Write => create({ ...key(text), ...packHtml(text) });

/** The former texts of some messages, by `number`; 0.5 read units for each edit of a text. */
export async function findFormerTexts(messages: readonly Message[]): Promise<Map<number, FormerText>> {
  const keys = messages.flatMap(({ id, editHistory = [] }) =>
    editHistory.flatMap(({ formerText }) =>
      formerText === undefined ? [] : key({ messageId: id, number: formerText }),
    ),
  );
  const found =
    keys.length === 0
      ? []
      : (await getItems<WithPackedHtml<FormerText>>(keys)).map((text) => text && unpackHtml<FormerText>(text));
  return new Map(found.flatMap((text) => (text ? [[text.number, text]] : [])));
}
