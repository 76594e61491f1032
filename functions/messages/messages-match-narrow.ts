import { eachInSlices } from "../../shared/base/in-slices.ts";
import { limits } from "../../shared/base/limits.ts";
import { int, list, mapOf, strictObject, text } from "../../shared/base/schema/params.ts";
import { toDisplayTopic } from "../../shared/core/channels/topic-names.ts";
import { prepareNarrow } from "../../shared/messaging/messages/fetch/matching.ts";
import { narrowParam, parseNarrow } from "../../shared/messaging/messages/fetch/narrow.ts";
import { highlightedSearch, loadListed } from "../../shared/messaging/messages/fetch/selection.ts";
import { Reader } from "../../shared/messaging/messages/reader.ts";
import { highlightMatches } from "../../shared/messaging/messages/search/highlight.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { jsonBytes, maxReplyBytes } from "../../shared/services/http/reply-size.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages/matches_narrow",
    summary: "Returns which of the given messages match a narrow, with search matches highlighted.",
    caller: "user",
    params: { msg_ids: list(int({ min: 0 }), { max: limits.messagesPerFetch }), narrow: narrowParam() },
    returns: { messages: mapOf(strictObject({ match_content: text(), match_subject: text() })) },
    needs: { realm },
    errors: ["BAD_NARROW"],
    uses: { table: "read" },
  },
  async ({ caller, params, realm }) => {
    const reader = new Reader(caller, realm);
    const narrow = await prepareNarrow(reader, parseNarrow(params.narrow));
    const matches = await loadListed(reader, narrow, [...new Set(params.msg_ids)]);
    const search = highlightedSearch(reader, narrow.terms) ?? { units: [], phrases: [] };
    const shown: [number, ReturnType<typeof highlightMatches>][] = [];
    let bytes = 0;
    await eachInSlices(matches, (message) => {
      const topic = toDisplayTopic(message.topic ?? "", true, reader.realm.settings);
      const highlighted = highlightMatches(message, topic, search);
      bytes += jsonBytes(highlighted);
      if (bytes > maxReplyBytes) return false;
      shown.push([message.id, highlighted]);
      return true;
    });
    return { messages: Object.fromEntries(shown) };
  },
);
