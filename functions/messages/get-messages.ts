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
      "message_ids may have up to 5,000 IDs. A list that makes the URL and the headers larger than 10 KB, from about 1,000 IDs on, is sent as a form in the body of the GET; a client that cannot do that, such as a browser, sends several requests.",
      "A reply holds 3 MB: of larger results the messages nearest to the anchor, which is always among them, and the end that was cut is not reported as found; of a list of IDs the oldest. A message that alone is larger is shortened and says what is left out. `edit_history` has the newest 100 KB of earlier texts, 1 MB in one reply; `GET /messages/{message_id}/history` has the rest.",
      "Spectators must ask for `channels:web-public`, with any of channel, topic, sender, has, search, near, id and with, and see everything as read; otherwise, or where `enable_spectator_access` is off, they get `UNAUTHORIZED`.",
      "`use_first_unread_anchor=true` takes precedence over `anchor`.",
      "`anchor=date` is the first message of the narrow that was sent at `anchor_date` or later, or the newest if there is none. The narrow operators `before`, `after` and `date` take the messages that were sent before, after and in a period. Dates are years, months, days, minutes or seconds by ISO 8601, such as `2026-05-01` or `2026-05-01T14:30+02:00`, in UTC without an offset, UNIX seconds, or an interval with a slash between its start and its end. `mentions` takes the user whom messages mention by name.",
      "What `search` finds is in docs/behaviour.md. All words must match, in any order; the ten longest are looked up.",
      "A narrow has at most 1,000 characters of searches in at most 10 terms, at most 10 dates, and names at most 200 people. A request scans for matches for 20 s at most and is then `BAD_REQUEST`. An operand of the wrong type is `BAD_REQUEST`; an ID that is not a number is `BAD_NARROW`. `has` accepts its operands in the plural too.",
      "`channels:public` for guests is limited to what they received. Where there are more than 100 public channels, the server scans all messages, newest or oldest first, for theirs.",
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
