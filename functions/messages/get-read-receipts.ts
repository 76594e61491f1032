import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { int, list } from "../../shared/http/params.ts";
import { accessMessage } from "../../shared/messages/access.ts";
import { readersOf } from "../../shared/messages/read-receipts.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/{message_id}/read_receipts",
    summary: "Tells who has read a message, as far as they let others know.",
    caller: "user",
    params: { message_id: int() },
    returns: { user_ids: list(int()) },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const { message } = await accessMessage(caller, params.message_id, realm);
    if (!realm.settings.enable_read_receipts) throw badRequest("Read receipts are disabled in this organization.");
    return { user_ids: await readersOf(caller, message, realm) };
  },
);
