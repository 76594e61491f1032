import { toDisplayTopic } from "../../shared/channels/topic-names.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { limits } from "../../shared/limits.ts";
import { filterMatching, prepareNarrow } from "../../shared/messages/fetch/matching.ts";
import { narrowParam, parseNarrow } from "../../shared/messages/fetch/narrow.ts";
import { searchOf } from "../../shared/messages/fetch/selection.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { highlightMatches } from "../../shared/messages/search/highlight.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { int, list, mapOf, strictObject, text } from "../../shared/schema/params.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/matches_narrow",
    summary: "Returns which of the given messages match a narrow, with search matches highlighted.",
    caller: "user",
    params: { msg_ids: list(int({ min: 0 }), { max: limits.messagesPerFetch }), narrow: narrowParam() },
    returns: { messages: mapOf(strictObject({ match_content: text(), match_subject: text() })) },
    prefetch: accessRealm,
    errors: ["BAD_NARROW"],
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    const reader = new Reader(caller, await accessRealm());
    const narrow = await prepareNarrow(reader, parseNarrow(params.narrow));
    const entries = [...new Set(params.msg_ids)].map((id) => ({ id }));
    const matches = await filterMatching(reader, narrow, entries, false);
    const query = searchOf(narrow.terms) ?? "";
    return {
      messages: Object.fromEntries(
        matches.map((message) => {
          const topic = toDisplayTopic(message.topic ?? "", true, reader.realm.settings);
          return [message.id, highlightMatches(message, topic, query)];
        }),
      ),
    };
  },
);
