import { endpoint } from "../../shared/http/endpoint.ts";
import { prefetchMessage } from "../../shared/messages/access.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int, oneOf } from "../../shared/schema/params.ts";
import { accessTypingMessage } from "../../shared/typing/access.ts";
import { sendEditTyping, typingOps } from "../../shared/typing/actions.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/{message_id}/typing",
    summary: "Reports that the caller has started or stopped editing one of their messages.",
    caller: "user",
    params: { message_id: int(), op: oneOf(typingOps) },
    returns: {},
    prefetch: prefetchMessage,
    uses: { table: "readWrite" },
  },
  async ({ caller, params }) => {
    const { message, audience } = await accessTypingMessage(caller, params.message_id, await accessRealm());
    await sendEditTyping(message, params.op, audience);
  },
);
