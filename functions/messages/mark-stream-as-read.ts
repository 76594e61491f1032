import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { markChannelAsRead } from "../../shared/messages/mark-conversations.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakeForReader } from "../../shared/push/wake.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/mark_stream_as_read",
    summary: "Marks the caller's unread messages of a channel as read.",
    caller: "user",
    params: { stream_id: int() },
    returns: {},
    uses: { table: "readWrite", sends: ["push-wakes"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    await markChannelAsRead(new Reader(caller, realm), params.stream_id);
    await wakeForReader(realm, caller.id);
  },
);
