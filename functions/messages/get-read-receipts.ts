import { storeLongReply } from "../../shared/blobs/store-long-reply.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { readableMessage } from "../../shared/messages/access.ts";
import { checkReadReceiptsEnabled, listUsersWhoRead } from "../../shared/messages/flags/read-receipts.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, list } from "../../shared/schema/params.ts";

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
