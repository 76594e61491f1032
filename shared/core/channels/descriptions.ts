import { escapeHtml } from "../../base/html.ts";
import { jsonBytes } from "../../services/http/reply-size.ts";

interface Described {
  description: string;
  renderedDescription: string;
}

/** Total size of all descriptions in a list, as text and HTML in JSON: keeps replies below Lambda's limit. */
export const maxListBytes = 2_000_000;

/**
 * Truncates the longest descriptions of a list of channels or channel folders to fit all into `maxBytes`; short ones stay
 * complete. `GET /streams/{stream_id}` returns a channel's full description.
 */
export function withBoundedDescriptions<D extends Described>(described: readonly D[], maxBytes = maxListBytes): D[] {
  const sizes = described.map(
    ({ description, renderedDescription }) => jsonBytes(description) + jsonBytes(renderedDescription),
  );
  const maxDescriptionBytes = fairShare(sizes, maxBytes);
  return described.map((each, index) =>
    (sizes[index] ?? 0) <= maxDescriptionBytes ? each : { ...each, ...truncateDescription(each, maxDescriptionBytes) },
  );
}

/** The largest size per item so that all fit; items that need less leave the rest to the others. */
function fairShare(sizes: readonly number[], maxTotalBytes: number): number {
  let remainingBytes = maxTotalBytes;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(remainingBytes / (sizes.length - index));
    if (size > share) return share;
    remainingBytes -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** An upper bound of the bytes that a UTF-16 unit takes as text and as HTML together: six in each for a control character. */
const maxBytesPerUnit = 12;

function truncateDescription({ description }: Described, maxBytes: number): Described {
  // The text and the HTML are in quotation marks.
  const markupBytes = jsonBytes("<p>…</p>") + jsonBytes("…");
  const length = Math.max(0, Math.floor((maxBytes - markupBytes) / maxBytesPerUnit));
  const beginning = length === 0 ? "" : `${description.slice(0, length).toWellFormed()}…`;
  return { description: beginning, renderedDescription: beginning && `<p>${escapeHtml(beginning, false)}</p>` };
}
