import { badRequest } from "../errors.ts";
import { limits } from "../settings.ts";
import { newestAnchor, type RangeRequest } from "./range.ts";

/** The ID that an anchor names: an integer, "newest" or "oldest". */
export function parseAnchor(text: string): number {
  if (text === "oldest") return 0;
  if (text === "newest") return newestAnchor;
  if (!/^-?\d{1,20}$/.test(text)) throw badRequest("Invalid anchor");
  return Math.max(0, Math.min(Number(text), newestAnchor));
}

export function checkCounts({ includeAnchor, numBefore, numAfter }: Omit<RangeRequest, "anchor">): void {
  if (numBefore + numAfter > limits.messagesPerFetch)
    throw badRequest(`Too many messages requested (maximum ${limits.messagesPerFetch}).`);
  if (!includeAnchor && numBefore > 0 && numAfter > 0)
    throw badRequest("The anchor can only be excluded at an end of the range");
}
