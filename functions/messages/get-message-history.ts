import { bool, int, list, withDefault } from "../../shared/base/schema/params.ts";
import { readableMessage } from "../../shared/messaging/messages/access.ts";
import { messageHistory, messageState } from "../../shared/messaging/messages/edit/history.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/{message_id}/history",
    summary: "Lists the versions of a message: the original, and one for each edit or move.",
    note: "With the policy `moves`, only moves are listed; with `none`, the call returns `BAD_REQUEST`. A reply has at most 3 MB: the oldest versions lose `content_html_diff` first, then the `prev_` fields. `content_html_diff` marks single words; if two long texts have little in common, it marks everything that differs.",
    caller: "user",
    params: { message_id: int(), allow_empty_topic_name: withDefault(bool(), false) },
    returns: { message_history: list(messageState) },
    needs: { realm, message: readableMessage },
    uses: { table: "read" },
  },
  async ({ params, realm, message: { message } }) => ({
    message_history: await messageHistory(message, realm, params.allow_empty_topic_name),
  }),
);
