import { toDisplayTopic } from "../../shared/channels/topic-names.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { jsonBytes, maxReplyBytes } from "../../shared/http/reply-size.ts";
import { eachInSlices } from "../../shared/in-slices.ts";
import { limits } from "../../shared/limits.ts";
import { prepareNarrow } from "../../shared/messages/fetch/matching.ts";
import { narrowParam, parseNarrow } from "../../shared/messages/fetch/narrow.ts";
import { highlightedSearch, loadListed } from "../../shared/messages/fetch/selection.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { highlightMatches } from "../../shared/messages/search/highlight.ts";
import { realm } from "../../shared/organization/access.ts";
import { int, list, mapOf, strictObject, text } from "../../shared/schema/params.ts";

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
