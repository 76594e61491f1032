import { int, oneOf } from "../../shared/base/schema/params.ts";
import { editedMessage } from "../../shared/messaging/typing/access.ts";
import { sendEditTyping, typingOps } from "../../shared/messaging/typing/actions.ts";
import { changeEndpoint } from "../../shared/services/http/change-endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = changeEndpoint(
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
  ({ params, edited: { message, audience } }) => ({ change: sendEditTyping(message, params.op, audience) }),
);
