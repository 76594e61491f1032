import { endpoint } from "../../shared/http/endpoint.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, oneOf } from "../../shared/schema/params.ts";
import { editedMessage } from "../../shared/typing/access.ts";
import { sendEditTyping, typingOps } from "../../shared/typing/actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/{message_id}/typing",
    summary: "Reports that the caller has started or stopped editing one of their messages.",
    caller: "user",
    params: { message_id: int(), op: oneOf(typingOps) },
    returns: {},
    needs: { realm, edited: editedMessage },
    uses: { table: "readWrite" },
  },
  ({ params, edited: { message, audience } }) => sendEditTyping(message, params.op, audience),
);
