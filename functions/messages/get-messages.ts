import { badRequest } from "../../shared/errors.ts";
import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, number, optional, string, withDefault } from "../../shared/http/params.ts";
import { checkCounts, parseAnchor } from "../../shared/messages/anchor.ts";
import { narrowParam, parseNarrow } from "../../shared/messages/narrow.ts";
import { readRange } from "../../shared/messages/range.ts";
import { sourcesFor } from "../../shared/messages/scope.ts";
import { showMessages } from "../../shared/messages/view.ts";
import { messageObject } from "../../shared/messages/wire.ts";
import { accessRealm } from "../../shared/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages",
    summary: "Returns the messages around an anchor that match a narrow, by ascending ID.",
    caller: "user",
    params: {
      anchor: optional(string()),
      include_anchor: withDefault(bool(), true),
      num_before: int({ min: 0 }),
      num_after: int({ min: 0 }),
      narrow: withDefault(narrowParam(), []),
      client_gravatar: withDefault(bool(), true),
      apply_markdown: withDefault(bool(), true),
      allow_empty_topic_name: withDefault(bool(), false),
    },
    returns: {
      anchor: number(),
      found_anchor: bool(),
      found_oldest: bool(),
      found_newest: bool(),
      history_limited: bool(),
      messages: list(messageObject),
    },
    uses: { table: "read" },
  },
  async ({ caller, params }) => {
    if (params.anchor === undefined) throw badRequest("Missing 'anchor' argument.");
    const request = {
      anchor: parseAnchor(params.anchor),
      includeAnchor: params.include_anchor,
      numBefore: params.num_before,
      numAfter: params.num_after,
    };
    checkCounts(request);
    const terms = parseNarrow(params.narrow);
    const realm = await accessRealm();
    const range = await readRange(await sourcesFor(caller, terms, realm), request);
    const messages = await showMessages(caller, range.entries, realm, {
      applyMarkdown: params.apply_markdown,
      clientGravatar: params.client_gravatar,
      allowEmptyTopicName: params.allow_empty_topic_name,
    });
    return {
      anchor: request.anchor,
      found_anchor: range.foundAnchor,
      found_oldest: range.foundOldest,
      found_newest: range.foundNewest,
      history_limited: false,
      messages,
    };
  },
);
