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
      "`change_later` and `change_all` move the messages that existed when the request arrived, and where history is protected only what the caller may read. Success means that all have moved. A move that takes longer than 20 s is `BAD_REQUEST`, says so, and continues in the background. Clients get one `update_message` event for each batch, first the one with the edited message, whose event names it; its `flags` are each reader's own.",
      "Messages that are moved into a private channel with protected history can be read there by everyone subscribed at that moment, as older history; by people who join later only if they were subscribed when the messages were sent.",
      "Resolving changes the topic to `✔ ` and its name, or back, within the channel: it has no time limit, needs `can_resolve_topics_group`, does not count as a move, and posts a notice whatever the notification flags say.",
      "The history keeps the newest 500 edits of a message and 2 MB of earlier texts with their HTML; a notice replaces the oldest texts.",
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
