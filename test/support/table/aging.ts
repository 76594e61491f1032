import { messageKey } from "../../../shared/store/messages/messages.ts";
import { updateItem } from "../../../shared/store/table/single-writes.ts";

/** Sets a message's time to `seconds` ago. */
export const backdateMessage = async (id: number, seconds: number): Promise<void> => {
  await updateItem(messageKey(id), { set: { sentAt: Math.floor(Date.now() / 1000) - seconds } });
};
