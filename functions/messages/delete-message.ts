import { int } from "../../shared/base/schema/params.ts";
import { messageToDelete, removeMessage } from "../../shared/messaging/messages/edit/deletion.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

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
