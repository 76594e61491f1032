import { endpoint } from "../../shared/http/endpoint.ts";
import { messageToDelete, removeMessage } from "../../shared/messages/edit/deletion.ts";
import { onDemand } from "../../shared/needs.ts";
import { realm } from "../../shared/organization/access.ts";
import { int } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "DELETE",
    path: "/messages/{message_id}",
    summary: "Deletes a message for everyone.",
    caller: "user",
    params: { message_id: int() },
    returns: {},
    needs: { realm, accessMessage: onDemand(messageToDelete) },
    uses: { table: "readWrite", sends: ["background-jobs"] },
  },
  ({ caller, realm, accessMessage }) => removeMessage(caller, accessMessage, realm),
);
