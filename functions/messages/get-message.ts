import { endpoint } from "../../shared/http/endpoint.ts";
import { loadMessages } from "../../shared/messages/fetch/load-messages.ts";
import { presentReadable } from "../../shared/messages/fetch/present-messages.ts";
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
    prefetch: ({ rawParameter }) =>
      Promise.all([accessRealm(), loadMessages([{ id: Number(rawParameter("message_id")) }])]),
    errors: ["NONEXISTENT_SUBDOMAIN"],
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const reader = new Reader(caller, await accessRealm());
    const presentation = {
      applyMarkdown: params.apply_markdown,
      clientGravatar: params.client_gravatar,
      allowEmptyTopicName: params.allow_empty_topic_name,
    };
    const { message, object } = await presentReadable(reader, params.message_id, presentation);
    return { message: object, raw_content: message.content };
  },
);
