import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { removeMessage } from "../../shared/messages/deletion.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/messages/{message_id}",
    summary: "Deletes a message for everybody.",
    caller: "user",
    params: { message_id: int() },
    returns: {},
    uses: { table: "readWrite", sends: ["message-leftovers"] },
  },
  async ({ caller, params }) => removeMessage(caller, params.message_id, await accessRealm()),
);
