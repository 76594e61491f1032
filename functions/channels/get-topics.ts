import { bool, int, list, strictObject, text, withDefault } from "../../shared/base/schema/params.ts";
import { accessChannelContent } from "../../shared/core/channels/channel-access.ts";
import { toDisplayTopic } from "../../shared/core/channels/topic-names.ts";
import { listVisibleTopics } from "../../shared/core/channels/topics.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { leadingItems } from "../../shared/services/http/reply-size.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/users/me/{stream_id}/topics",
    summary: "Lists the topics of a channel in which the caller can read messages, newest first, as many as fit.",
    caller: "user",
    params: { stream_id: int(), allow_empty_topic_name: withDefault(bool(), false) },
    returns: { topics: list(strictObject({ name: text(), max_id: int() })) },
    needs: { realm },
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const topics = await listVisibleTopics(await accessChannelContent(caller, params.stream_id, realm));
    return {
      topics: leadingItems(
        topics.map(({ name, maxId }) => ({
          name: toDisplayTopic(name, params.allow_empty_topic_name, realm.settings),
          max_id: maxId,
        })),
      ),
    };
  },
);
