import { endpoint } from "../../shared/http/endpoint.ts";
import { exactly, int, list, mapOf, text } from "../../shared/http/params.ts";
import { highlighted } from "../../shared/messages/highlight.ts";
import { matchingOf, prepareNarrow } from "../../shared/messages/matching.ts";
import { narrowParam, parseNarrow } from "../../shared/messages/narrow.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { searchOf } from "../../shared/messages/selection.ts";
import { shownTopic } from "../../shared/messages/topics.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { limits } from "../../shared/settings.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/matches_narrow",
    summary: "Tells which of some messages match a narrow, and where its search was found.",
    caller: "user",
    params: { msg_ids: list(int({ min: 0 }), { max: limits.messagesPerFetch }), narrow: narrowParam() },
    returns: { messages: mapOf(exactly({ match_content: text(), match_subject: text() })) },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const reader = new Reader(caller, await accessRealm());
    const narrow = await prepareNarrow(reader, parseNarrow(params.narrow));
    const entries = [...new Set(params.msg_ids)].map((id) => ({ id }));
    const matched = await matchingOf(reader, narrow, entries, false);
    const query = searchOf(narrow.terms) ?? "";
    return {
      messages: Object.fromEntries(
        matched.map((message) => {
          const topic = shownTopic(message.topic ?? "", true, reader.realm.settings);
          return [message.id, highlighted(message, topic, query)];
        }),
      ),
    };
  },
);
