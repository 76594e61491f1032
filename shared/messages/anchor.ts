import { badRequest, missingParameter, unsupportedCombination } from "../errors.ts";
import { limits } from "../settings.ts";
import { firstUnread } from "./first-unread.ts";
import type { Narrow } from "./matching.ts";
import { newestAnchor, type RangeRequest } from "./range.ts";
import type { Reader } from "./reader.ts";

/** The ID that an anchor names: an integer, "newest", "oldest" or, undefined here, "first_unread". */
export function parseAnchor(text: string): number | undefined {
  if (text === "first_unread") return undefined;
  if (text === "oldest") return 0;
  if (text === "newest") return newestAnchor;
  if (!/^-?\d{1,20}$/.test(text)) throw badRequest("Invalid anchor");
  return Math.max(0, Math.min(Number(text), newestAnchor));
}

/** The ID to anchor at, the first unread message having been looked up if that is what was asked for. */
export const resolveAnchor = async (reader: Reader, narrow: Narrow, anchor: number | undefined): Promise<number> =>
  anchor ?? (await firstUnread(reader, narrow));

/** Which messages a client asks for: a list of them, or those around an anchor. */
export type Selection =
  | { kind: "list"; ids: number[] }
  | { kind: "range"; anchor: number | undefined; includeAnchor: boolean; numBefore: number; numAfter: number };

interface SelectionParams {
  message_ids?: number[] | undefined;
  anchor?: string | undefined;
  include_anchor?: boolean | undefined;
  num_before?: number | undefined;
  num_after?: number | undefined;
  use_first_unread_anchor?: boolean | undefined;
}

/** What the parameters of 4.6 ask for; those that exclude each other are an error that names them. */
export function checkSelection(params: SelectionParams): Selection {
  const { message_ids: ids, anchor, num_before: numBefore, num_after: numAfter } = params;
  if (ids) {
    const excluded = ["anchor", "include_anchor", "use_first_unread_anchor", "num_before", "num_after"] as const;
    const given = excluded.filter((name) => params[name] !== undefined);
    if (given.length > 0) throw unsupportedCombination(["message_ids", ...given]);
    if (ids.length > limits.messagesPerFetch) throw tooMany();
    return { kind: "list", ids: [...new Set(ids)].sort((a, b) => a - b) };
  }
  if (numBefore === undefined) throw missingParameter("num_before");
  if (numAfter === undefined) throw missingParameter("num_after");
  if (params.use_first_unread_anchor) {
    if (anchor !== undefined) throw unsupportedCombination(["anchor", "use_first_unread_anchor"]);
  } else if (anchor === undefined) throw badRequest("Missing 'anchor' argument.");
  const range = { includeAnchor: params.include_anchor ?? true, numBefore, numAfter };
  checkCounts(range);
  return { kind: "range", anchor: anchor === undefined ? undefined : parseAnchor(anchor), ...range };
}

const tooMany = () => badRequest(`Too many messages requested (maximum ${limits.messagesPerFetch}).`);

export function checkCounts({ includeAnchor, numBefore, numAfter }: Omit<RangeRequest, "anchor">): void {
  if (numBefore + numAfter > limits.messagesPerFetch) throw tooMany();
  if (!includeAnchor && numBefore > 0 && numAfter > 0)
    throw badRequest("The anchor can only be excluded at an end of the range");
}
