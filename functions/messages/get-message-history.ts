import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, withDefault } from "../../shared/http/params.ts";
import { accessMessage } from "../../shared/messages/access.ts";
import { historyOf, messageState } from "../../shared/messages/history.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/{message_id}/history",
    summary: "Lists what a message has been: how it was sent, and each edit and move since.",
    caller: "user",
    params: { message_id: int(), allow_empty_topic_name: withDefault(bool(), false) },
    returns: { message_history: list(messageState) },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const realm = await accessRealm();
    const { message } = await accessMessage(caller, params.message_id, realm);
    return { message_history: await historyOf(message, realm, params.allow_empty_topic_name) };
  },
);
