import { endpoint } from "../../shared/http/endpoint.ts";
import { bool, int, list, number, optional, string, withDefault } from "../../shared/http/params.ts";
import { checkSelection } from "../../shared/messages/anchor.ts";
import { prepareNarrow } from "../../shared/messages/matching.ts";
import { narrowParam, parseNarrow } from "../../shared/messages/narrow.ts";
import { Reader } from "../../shared/messages/reader.ts";
import { selectMessages } from "../../shared/messages/selection.ts";
import { messageObject } from "../../shared/messages/wire.ts";
import { accessRealm } from "../../shared/organization/access.ts";
import { limits } from "../../shared/settings.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages",
    summary: "Returns the messages around an anchor, or those of a list, that match a narrow, by ascending ID.",
    caller: "visitor",
    params: {
      anchor: optional(string()),
      include_anchor: optional(bool()),
      num_before: optional(int({ min: 0 })),
      num_after: optional(int({ min: 0 })),
      narrow: withDefault(narrowParam(), []),
      message_ids: optional(list(int({ min: 0 }), { max: limits.listLength })),
      use_first_unread_anchor: optional(bool()),
      client_gravatar: withDefault(bool(), true),
      apply_markdown: withDefault(bool(), true),
      allow_empty_topic_name: withDefault(bool(), false),
    },
    returns: {
      anchor: optional(number()),
      found_anchor: bool(),
      found_oldest: bool(),
      found_newest: bool(),
      history_limited: bool(),
      messages: list(messageObject),
    },
    beside: accessRealm,
    uses: { table: "read" },
  },
  async ({ caller, params, beside: realm }) => {
    const selection = checkSelection(params);
    const terms = parseNarrow(params.narrow);
    const reader = new Reader(caller, realm);
    const narrow = await prepareNarrow(reader, terms);
    const { anchor, foundAnchor, foundOldest, foundNewest, messages } = await selectMessages(
      reader,
      narrow,
      selection,
      {
        applyMarkdown: params.apply_markdown,
        clientGravatar: params.client_gravatar,
        allowEmptyTopicName: params.allow_empty_topic_name,
      },
    );
    return {
      ...(anchor !== undefined && { anchor }),
      found_anchor: foundAnchor,
      found_oldest: foundOldest,
      found_newest: foundNewest,
      history_limited: false,
      messages,
    };
  },
);
