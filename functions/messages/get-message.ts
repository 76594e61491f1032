import { bool, int, text, withDefault } from "../../shared/base/schema/params.ts";
import { presentedMessage } from "../../shared/messaging/messages/fetch/present-messages.ts";
import { messageObject } from "../../shared/messaging/messages/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/{message_id}",
    summary: "Returns one message.",
    caller: "visitor",
    params: {
      message_id: int(),
      apply_markdown: withDefault(bool(), true),
      allow_empty_topic_name: withDefault(bool(), false),
      client_gravatar: withDefault(bool(), true),
    },
    returns: { message: messageObject, raw_content: text() },
    needs: { realm, presented: presentedMessage },
    errors: ["NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read" },
  },
  async ({ presented: { message, object } }) => ({ message: object, raw_content: message.content }),
);
