import { badRequest, missingParameter, unsupportedCombination } from "../../../base/errors.ts";
import { limits } from "../../../base/limits.ts";
import type { Reader } from "../reader.ts";
import { firstUnread } from "./first-unread.ts";
import { matchingSource, type Narrow } from "./matching.ts";
import { newestAnchor, type RangeRequest } from "./range.ts";
import { parsePeriod } from "./sent-periods.ts";
import { sentIn } from "./terms.ts";

/** A message ID; the first message that was sent at a time, in UNIX seconds, or later; or, if undefined, the first unread one. */
export type Anchor = number | { sentFrom: number } | undefined;

/** Parses an anchor: an integer, "newest", "oldest", "first_unread", or "date" with a date by ISO 8601. */
export function parseAnchor(text: string, date: string | undefined): Anchor {
  if (text === "date") {
    if (date === undefined) throw missingParameter("anchor_date");
    const period = parsePeriod(date);
    if (!period) throw badRequest("Invalid anchor_date");
    return { sentFrom: period.start };
  }
  if (date !== undefined) throw unsupportedCombination(["anchor", "anchor_date"]);
  if (text === "first_unread") return undefined;
  if (text === "oldest") return 0;
  if (text === "newest") return newestAnchor;
  if (!/^-?\d{1,20}$/.test(text)) throw badRequest("Invalid anchor");
  return Math.max(0, Math.min(Number(text), newestAnchor));
}

/** The ID to anchor at; `newestAnchor` if there is no message of this kind. */
export async function resolveAnchor(reader: Reader, narrow: Narrow, anchor: Anchor): Promise<number> {
  if (anchor === undefined) return firstUnread(reader, narrow);
  if (typeof anchor === "number") return anchor;
  const terms = [...narrow.terms, await sentIn({ start: anchor.sentFrom })];
  const source = await matchingSource(reader, { ...narrow, terms });
  const [first] = await source({ from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: 1 });
  return first?.id ?? newestAnchor;
}

/** The requested messages: a list of IDs, or a range around an anchor. */
export type Selection =
  | { kind: "list"; ids: number[] }
  | { kind: "range"; anchor: Anchor; includeAnchor: boolean; numBefore: number; numAfter: number };

interface SelectionParams {
  message_ids?: number[] | undefined;
  anchor?: string | undefined;
  anchor_date?: string | undefined;
  include_anchor?: boolean | undefined;
  num_before?: number | undefined;
  num_after?: number | undefined;
  use_first_unread_anchor?: boolean | undefined;
}

/**
 * Checks the parameters of `GET /messages`. The error names the parameters that exclude each other. See
 * https://zulip.com/api/get-messages.
 */
export function checkSelection(params: SelectionParams): Selection {
  const { message_ids: ids, anchor, num_before: numBefore, num_after: numAfter } = params;
  if (ids) {
    const anchors = ["anchor", "anchor_date", "include_anchor", "use_first_unread_anchor"] as const;
    const rangeParams = [...anchors, "num_before", "num_after"] as const;
    const sentRangeParams = rangeParams.filter((name) => params[name] !== undefined);
    if (sentRangeParams.length > 0) throw unsupportedCombination(["message_ids", ...sentRangeParams]);
    if (ids.length > limits.messagesPerFetch) throw tooMany();
    return { kind: "list", ids: [...new Set(ids)].sort((a, b) => a - b) };
  }
  if (numBefore === undefined) throw missingParameter("num_before");
  if (numAfter === undefined) throw missingParameter("num_after");
  const range = { includeAnchor: params.include_anchor ?? true, numBefore, numAfter };
  checkCounts(range);
  // Some clients send `anchor` together with this flag, which then takes precedence.
  if (params.use_first_unread_anchor) return { kind: "range", anchor: undefined, ...range };
  if (anchor === undefined) throw badRequest("Missing 'anchor' argument.");
  return { kind: "range", anchor: parseAnchor(anchor, params.anchor_date), ...range };
}

const tooMany = () => badRequest(`Too many messages requested (maximum ${limits.messagesPerFetch}).`);

export function checkCounts({ includeAnchor, numBefore, numAfter }: Omit<RangeRequest, "anchor">): void {
  if (numBefore + numAfter > limits.messagesPerFetch) throw tooMany();
  if (!includeAnchor && numBefore > 0 && numAfter > 0)
    throw badRequest("The anchor can only be excluded at an end of the range");
}
