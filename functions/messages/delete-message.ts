import { changeEndpoint } from "../../shared/http/change-endpoint.ts";
import { messageToDelete, removeMessage } from "../../shared/messages/edit/deletion.ts";
import { realm } from "../../shared/organization/access.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = changeEndpoint(
  {
    method: "DELETE",
    path: "/messages/{message_id}",
    summary: "Deletes a message for everyone.",
    caller: "user",
    params: { message_id: int() },
    returns: {},
    needs: { realm, message: messageToDelete },
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  async ({ caller, realm, message }) => ({ change: await removeMessage(caller, message, realm) }),
);
