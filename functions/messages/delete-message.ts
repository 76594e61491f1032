import { endpoint } from "../../shared/http/endpoint.ts";
import { int } from "../../shared/http/params.ts";
import { removeMessage } from "../../shared/messages/deletion.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { wakePush } from "../../shared/push/wake.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/messages/{message_id}",
    summary: "Deletes a message for everybody.",
    caller: "user",
    params: { message_id: int() },
    returns: {},
    uses: { table: "readWrite", sends: ["chores", "push-wakes"], pushBouncer: true },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    await removeMessage(caller, params.message_id, realm);
    await wakePush(realm);
  },
);
