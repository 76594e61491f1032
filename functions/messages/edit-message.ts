import { onDemand } from "../../shared/base/needs.ts";
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
} from "../../shared/base/schema/params.ts";
import { checkEditedContent } from "../../shared/base/schema/text.ts";
import { messageToChange } from "../../shared/messaging/messages/access.ts";
import { editMessage } from "../../shared/messaging/messages/edit/edit.ts";
import { attachmentObject } from "../../shared/messaging/uploads/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";
import { propagateModes } from "../../shared/store/messages/moves.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/messages/{message_id}",
    summary: "Changes a message's content, or moves it, alone or with others, to another topic or channel.",
    note: [
      "A blank `content` sets the text to `(deleted)`. The text of messages with a widget cannot be edited. An edit that changes nothing succeeds.",
      "`change_later` and `change_all` move the messages that existed when the request arrived; where history is protected, only those that the caller may read. Success means that all of them have moved. A move that takes longer than 20 s returns a `BAD_REQUEST` that says so, and continues in the background. Clients get one `update_message` event for each batch. The first batch contains the edited message, and its event names it in `message_id`. The `flags` are each reader's own.",
      "When messages are moved into a private channel with protected history, everyone subscribed at that moment can read them as older history. People who join later can read them only if they were subscribed when the messages were sent.",
      "Resolving a topic puts `✔ ` before its name, and unresolving removes it, within the channel. Both need `can_resolve_topics_group`, have no time limit, do not count as a move, and post a notice whatever the notification flags say.",
      "The history keeps the newest 500 edits of a message and 2 MB of earlier texts with their HTML; beyond that, a notice replaces the oldest texts.",
    ],
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
    needs: { realm, accessMessage: onDemand(messageToChange) },
    errors: [
      "EXPECTATION_MISMATCH",
      "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      "STREAM_WILDCARD_MENTION_NOT_ALLOWED",
      "TOPIC_WILDCARD_MENTION_NOT_ALLOWED",
    ],
    creates: ["message", "topic", "edit"],
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params, realm, accessMessage }) => {
    const edit = {
      content: params.content === undefined ? undefined : checkEditedContent(params.content),
      topic: params.topic ?? params.subject,
      channelId: params.stream_id,
      propagateMode: params.propagate_mode,
      prevContentSha256: params.prev_content_sha256,
      noticeToOld: params.send_notification_to_old_thread,
      noticeToNew: params.send_notification_to_new_thread,
    };
    return { detached_uploads: await editMessage(caller, accessMessage, edit, realm) };
  },
);
