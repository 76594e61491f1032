import { createHash } from "node:crypto";
import { conversationName, findConversation } from "../../../store/messages/conversations.ts";
import type { Context } from "../context.ts";
import { recipientId, recipientRow, recipientTypes } from "./references.ts";

interface DirectMessage {
  senderId: number;
  /** All participants. */
  userIds: readonly number[];
  /** The conversation's; looked up if absent. */
  recipientId?: number;
}

/**
 * The recipient of a direct message: the other participant or, of more than two, the group, which becomes rows when it is named
 * for the first time; undefined for a group that has no message yet.
 */
export async function conversationRecipient(message: DirectMessage, { lists }: Context): Promise<number | undefined> {
  const userIds = [...new Set(message.userIds)].sort((a, b) => a - b);
  if (userIds.length <= 2) {
    const other = userIds.find((id) => id !== message.senderId) ?? message.senderId;
    return recipientId(recipientTypes.user, other);
  }
  const id = message.recipientId ?? (await findConversation(userIds))?.recipientId;
  if (id === undefined) return undefined;
  const recipient = recipientId(recipientTypes.group, id);
  if ((await lists.ids("zerver_huddle")).has(id)) return recipient;
  const huddle_hash = createHash("sha1").update(conversationName(userIds)).digest("hex");
  await lists.add("zerver_huddle", [{ id, huddle_hash, group_size: userIds.length }]);
  await lists.add("zerver_recipient", [recipientRow(recipientTypes.group, id)]);
  await lists.add(
    "zerver_subscription",
    userIds.map((user_profile) => ({ user_profile, recipient, active: true, is_user_active: true })),
  );
  return recipient;
}
