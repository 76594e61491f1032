import { endpoint } from "../../shared/http/endpoint.ts";
import { prefetchDeletion, removeMessage } from "../../shared/messages/edit/deletion.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/messages/{message_id}",
    summary: "Deletes a message for everyone.",
    caller: "user",
    params: { message_id: int() },
    returns: {},
    prefetch: prefetchDeletion,
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    await removeMessage(caller, params.message_id, realm);
  },
);
