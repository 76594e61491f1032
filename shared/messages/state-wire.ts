import { bool, exactly, int, list, type Shape, text } from "../http/params.ts";

const ids = list(int());

/** The fields of `/register` that are about messages (companion reference, C). */
export const messageStateFields = {
  max_message_id: int(),
  starred_messages: ids,
  recent_private_conversations: list(exactly({ max_message_id: int(), user_ids: ids })),
  unread_msgs: exactly({
    count: int(),
    pms: list(exactly({ other_user_id: int(), sender_id: int(), unread_message_ids: ids })),
    streams: list(exactly({ stream_id: int(), topic: text(), unread_message_ids: ids })),
    huddles: list(exactly({ user_ids_string: text(), unread_message_ids: ids })),
    mentions: ids,
    old_unreads_missing: bool(),
  }),
} satisfies Shape;
