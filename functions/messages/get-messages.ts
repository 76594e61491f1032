import { limits } from "../../shared/base/limits.ts";
import { bool, int, list, number, optional, string, withDefault } from "../../shared/base/schema/params.ts";
import { narrowParam } from "../../shared/messaging/messages/fetch/narrow.ts";
import { requestedRange } from "../../shared/messaging/messages/fetch/requested-range.ts";
import { selectMessages } from "../../shared/messaging/messages/fetch/selection.ts";
import { messageObject } from "../../shared/messaging/messages/wire.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "GET",
    path: "/messages",
    summary: "Returns messages that match a narrow, around an anchor or by ID, in ascending order of ID.",
    note: [
      "`message_ids` may have up to 5,000 IDs. If the list makes the URL and headers larger than 10 KB (from about 1,000 IDs), send it as a form in the body of the GET; a client that cannot do that, such as a browser, sends several requests.",
      "A reply has at most 3 MB. A larger result is cut to the messages nearest to the anchor, including the anchor itself, and an end that was cut off is not reported as found; a list of IDs is cut to the oldest messages. A single message that is larger is shortened and says what is left out. `edit_history` has the newest 100 KB of earlier texts, 1 MB in one reply; `GET /messages/{message_id}/history` has the rest.",
      "The narrow of a spectator must contain `channels:web-public` and may add channel, topic, sender, has, search, near, id and with; otherwise, or if `enable_spectator_access` is off, the reply is `UNAUTHORIZED`. Spectators see everything as read.",
      "`use_first_unread_anchor=true` takes precedence over `anchor`.",
      "`anchor=date` is the first message of the narrow that was sent at `anchor_date` or later, or the newest if there is none. The narrow operators `before`, `after` and `date` match messages that were sent before, after and in a period. A date is a year, month, day, minute or second in ISO 8601, such as `2026-05-01` or `2026-05-01T14:30+02:00` (UTC if it has no offset), UNIX seconds, or an interval with a slash between its start and its end. `mentions` matches messages that mention a user by name.",
      "docs/behaviour.md says what `search` finds. All words must match, in any order; the ten longest are looked up.",
      "A narrow has at most 10 search terms with 1,000 characters in all, at most 10 dates, and names at most 200 people. A request that scans for matches for longer than 20 s returns `BAD_REQUEST`. So does an operand of the wrong type; an ID that is not a number returns `BAD_NARROW`. `has` also accepts its operands in the plural.",
      "For guests, `channels:public` is limited to messages that they received. If there are more than 100 public channels, the server scans all messages, newest or oldest first, for those in public channels.",
    ],
    caller: "visitor",
    params: {
      anchor: optional(string()),
      anchor_date: optional(string()),
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
    needs: { realm, range: requestedRange },
    errors: ["BAD_NARROW", "NONEXISTENT_SUBDOMAIN", "REQUEST_VARIABLE_MISSING"],
    uses: { table: "read" },
  },
  async ({ params, range: { reader, narrow, selection } }) => {
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
