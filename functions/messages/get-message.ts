import { badRequest, unauthorized } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, text, withDefault } from "../../shared/http/params.ts";
import { matchingOf } from "../../shared/messages/matching.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { showMessages } from "../../shared/messages/view.ts";
import { messageObject } from "../../shared/messages/wire.ts";
import { accessRealm } from "../../shared/organization/access.ts";

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
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const reader = new Reader(caller, await accessRealm());
    if (!caller && !reader.realm.settings.enable_spectator_access) throw unauthorized();
    const [message] = await matchingOf(reader, wholeHistory, [{ id: params.message_id }], false);
    if (!message) throw badRequest("Invalid message(s)");
    const presentation = {
      applyMarkdown: params.apply_markdown,
      clientGravatar: params.client_gravatar,
      allowEmptyTopicName: params.allow_empty_topic_name,
    };
    const [shown] = await showMessages(caller, [{ id: message.id, message }], reader.realm, presentation, reader);
    if (!shown) throw badRequest("Invalid message(s)");
    return { message: shown, raw_content: message.content };
  },
);

const wholeHistory = { terms: [], policies: new Map() };
