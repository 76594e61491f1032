import { endpoint } from "../../shared/http/endpoint.ts";
import { int, text } from "../../shared/http/params.ts";
import { markChannelAsRead } from "../../shared/messages/mark-conversations.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { topicName } from "../../shared/messages/topics.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakeForReader } from "../../shared/push/wake.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mark_topic_as_read",
    summary: "Marks the caller's unread messages of a topic as read.",
    caller: "user",
    params: { stream_id: int(), topic_name: text() },
    returns: {},
    uses: { table: "readWrite", sends: ["push-wakes"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    await markChannelAsRead(new Reader(caller, realm), params.stream_id, topicName(params.topic_name, realm.settings));
    await wakeForReader(realm, caller.id);
  },
);
