import { endpoint } from "../../shared/http/endpoint.ts";
import { accessReadable } from "../../shared/messages/fetch/matching.ts";
import { presentMessage } from "../../shared/messages/fetch/present-messages.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { messageObject } from "../../shared/messages/wire.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { bool, int, text, withDefault } from "../../shared/schema/params.ts";

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
    prefetch: accessRealm,
    errors: ["NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const reader = new Reader(caller, await accessRealm());
    const message = await accessReadable(reader, params.message_id);
    const presentation = {
      applyMarkdown: params.apply_markdown,
      clientGravatar: params.client_gravatar,
      allowEmptyTopicName: params.allow_empty_topic_name,
    };
    const object = await presentMessage(reader, message, presentation);
    return { message: object, raw_content: message.content };
  },
);
