import { int, list } from "../../shared/base/schema/params.ts";
import { readableMessage } from "../../shared/messaging/messages/access.ts";
import { checkReadReceiptsEnabled, listUsersWhoRead } from "../../shared/messaging/messages/flags/read-receipts.ts";
import { storeLongReply } from "../../shared/services/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/{message_id}/read_receipts",
    summary: "Lists the users who have read a message and allow read receipts.",
    note: "Lists current, active subscribers who had received the message.",
    caller: "user",
    params: { message_id: int() },
    returns: { user_ids: list(int()) },
    needs: { realm, message: readableMessage },
    storeLongReply,
    uses: { table: "readWrite", files: "readWrite" },
  },
  async ({ caller, realm, message: { message } }) => {
    checkReadReceiptsEnabled(realm);
    return { user_ids: await listUsersWhoRead(caller, message, realm) };
  },
);
