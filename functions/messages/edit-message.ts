import { attachmentObject } from "../../shared/files/wire.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, oneOf, optional, string, text, withDefault } from "../../shared/http/params.ts";
import { checkEditedContent } from "../../shared/messages/content.ts";
import { editMessage } from "../../shared/messages/edit.ts";
import { propagateModes } from "../../shared/messages/edit-rules.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "PATCH",
    path: "/messages/{message_id}",
    summary: "Changes a message's text, or moves it to another topic or channel, alone or with others of its topic.",
    caller: "user",
    params: {
      message_id: int(),
      content: optional(text()),
      topic: optional(text()),
      subject: optional(text()),
      stream_id: optional(int()),
      propagate_mode: withDefault(oneOf(propagateModes), "change_one"),
      send_notification_to_old_thread: withDefault(bool(), false),
      send_notification_to_new_thread: withDefault(bool(), true),
      prev_content_sha256: optional(string({ max: 100 })),
    },
    returns: { detached_uploads: list(attachmentObject) },
    uses: { table: "readWrite", sends: ["chores"] },
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
