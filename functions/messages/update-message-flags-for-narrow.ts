import { limits } from "../../shared/base/limits.ts";
import { bool, int, list, nullable, oneOf, optional, string, withDefault } from "../../shared/base/schema/params.ts";
import { checkCounts, parseAnchor, resolveAnchor } from "../../shared/messaging/messages/fetch/anchor.ts";
import { matchingSource, prepareNarrow } from "../../shared/messaging/messages/fetch/matching.ts";
import { narrowParam, parseNarrow } from "../../shared/messaging/messages/fetch/narrow.ts";
import { readRange } from "../../shared/messaging/messages/fetch/range.ts";
import { changeFlag } from "../../shared/messaging/messages/flags/actions.ts";
import { checkEditableFlag } from "../../shared/messaging/messages/flags/flags.ts";
import { Reader } from "../../shared/messaging/messages/reader.ts";
import { endpoint } from "../../shared/services/http/endpoint.ts";
import { realm } from "../../shared/services/organization/access.ts";

export const handler = endpoint(
  {
    method: "POST",
    path: "/messages/flags/narrow",
    summary: "Adds a flag to the messages in a range of a narrow, or removes it.",
    caller: "user",
    params: {
      anchor: string(),
      anchor_date: optional(string()),
      include_anchor: withDefault(bool(), true),
      num_before: int({ min: 0 }),
      num_after: int({ min: 0 }),
      narrow: narrowParam(),
      op: oneOf(["add", "remove"]),
      flag: string(),
    },
    returns: {
      processed_count: int(),
      updated_count: int(),
      first_processed_id: nullable(int()),
      last_processed_id: nullable(int()),
      found_oldest: bool(),
      found_newest: bool(),
      ignored_because_not_subscribed_channels: optional(list(int())),
    },
    needs: { realm },
    errors: ["BAD_NARROW"],
    uses: { table: "readWrite" },
  },
  async ({ caller, params, realm }) => {
    const flag = checkEditableFlag(params.flag);
    const numBefore = Math.min(params.num_before, limits.messagesPerFetch);
    const numAfter = Math.min(params.num_after, limits.messagesPerFetch - numBefore);
    const counts = { includeAnchor: params.include_anchor, numBefore, numAfter };
    checkCounts(counts);
    const requestedAnchor = parseAnchor(params.anchor, params.anchor_date);
    const reader = new Reader(caller, realm);
    const narrow = await prepareNarrow(reader, parseNarrow(params.narrow));
    const anchor = await resolveAnchor(reader, narrow, requestedAnchor);
    const range = await readRange(await matchingSource(reader, narrow), { anchor, ...counts });
    const messages = range.entries.flatMap(({ message }) => message ?? []);
    const ids = messages.map(({ id }) => id);
    const { changed, ignoredChannels } = await changeFlag(reader, ids, params.op, flag, messages);
    return {
      processed_count: ids.length,
      updated_count: changed.length,
      first_processed_id: ids[0] ?? null,
      last_processed_id: ids.at(-1) ?? null,
      found_oldest: range.foundOldest,
      found_newest: range.foundNewest,
      ...(ignoredChannels && { ignored_because_not_subscribed_channels: ignoredChannels }),
    };
  },
);
