import { messageKey } from "../../../shared/store/messages/messages.ts";
import { updateItem } from "../../../shared/store/table/transactions.ts";

/** Makes a message as old as if it had been sent `seconds` ago. */
export const aged = async (id: number, seconds: number): Promise<void> => {
  await updateItem(messageKey(id), { set: { sentAt: Math.floor(Date.now() / 1000) - seconds } });
};
