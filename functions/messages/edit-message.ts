import { endpoint } from "../../shared/http/endpoint.ts";
import { prefetchMessage } from "../../shared/messages/access.ts";
import { editMessage } from "../../shared/messages/edit/edit.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import {
  bool,
  int,
  list,
  messageText,
  nameText,
  oneOf,
  optional,
  string,
  withDefault,
} from "../../shared/schema/params.ts";
import { checkEditedContent } from "../../shared/schema/text.ts";
import { propagateModes } from "../../shared/store/messages/moves.ts";
import { attachmentObject } from "../../shared/uploads/wire.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/messages/{message_id}",
    summary: "Changes a message's content, or moves it, alone or with others, to another topic or channel.",
    caller: "user",
    params: {
      message_id: int(),
      content: optional(messageText()),
      topic: optional(nameText()),
      subject: optional(nameText()),
      stream_id: optional(int()),
      propagate_mode: withDefault(oneOf(propagateModes), "change_one"),
      send_notification_to_old_thread: withDefault(bool(), false),
      send_notification_to_new_thread: withDefault(bool(), true),
      prev_content_sha256: optional(string({ max: 100 })),
    },
    returns: { detached_uploads: list(attachmentObject) },
    prefetch: prefetchMessage,
    errors: [
      "EXPECTATION_MISMATCH",
      "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
      "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
    ],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params }) => {
    const edit = {
      content: params.content === undefined ? undefined : checkEditedContent(params.content),
      topic: params.topic ?? params.subject,
      channelId: params.stream_id,
      propagateMode: params.propagate_mode,
      prevContentSha256: params.prev_content_sha256,
      noticeToOld: params.send_notification_to_old_thread,
      noticeToNew: params.send_notification_to_new_thread,
    };
    return { detached_uploads: await editMessage(caller, params.message_id, edit, await accessRealm()) };
  },
);
