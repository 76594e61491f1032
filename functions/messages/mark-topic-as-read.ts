import { int, text } from "../../shared/base/schema/params.ts";
import { toStoredTopic } from "../../shared/core/channels/topic-names.ts";
import { markChannelAsRead } from "../../shared/messaging/messages/flags/mark-conversations.ts";
import { Reader } from "../../shared/messaging/messages/reader.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mark_topic_as_read",
    summary: "Marks the caller's unread messages of a topic as read.",
    note: "Covers the newest 200,000 unread messages. If more are unread, repeat the request, or mark everything as read.",
    caller: "user",
    params: { stream_id: int(), topic_name: text() },
    returns: {},
    needs: { realm },
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    await markChannelAsRead(
      new Reader(caller, realm),
      params.stream_id,
      toStoredTopic(params.topic_name, realm.settings),
    );
  },
);
