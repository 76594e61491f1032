interface Described {
  description: string;
  renderedDescription: string;
}

/** Total size of all descriptions in a list of channels, as text and HTML: keeps replies below Lambda's limit. */
const maxListBytes = 2_000_000;

/**
 * Truncates the longest descriptions of a list of channels to fit all into `maxBytes`; short ones stay complete.
 * `GET /streams/{stream_id}` returns the full description.
 */
export function withBoundedDescriptions<C extends Described>(channels: readonly C[], maxBytes = maxListBytes): C[] {
  const sizes = channels.map(
    ({ description, renderedDescription }) => Buffer.byteLength(description) + Buffer.byteLength(renderedDescription),
  );
  const maxDescriptionBytes = fairShare(sizes, maxBytes);
  return channels.map((channel, index) =>
    (sizes[index] ?? 0) <= maxDescriptionBytes
      ? channel
      : { ...channel, ...truncateDescription(channel, maxDescriptionBytes) },
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

/** An upper bound of the bytes that a UTF-16 unit takes as text and as HTML together. */
const maxBytesPerUnit = 9;

/** Truncates a description and drops its formatting. */
function truncateDescription({ description }: Described, maxBytes: number): Described {
  // Each of the two `…` is one UTF-16 unit, but takes three bytes.
  const markupBytes = "<p>…</p>…".length + 4;
  const length = Math.max(0, Math.floor((maxBytes - markupBytes) / maxBytesPerUnit));
  const beginning = length === 0 ? "" : `${description.slice(0, length).toWellFormed()}…`;
  return { description: beginning, renderedDescription: beginning && `<p>${escapeHtml(beginning)}</p>` };
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeHtml = (text: string) => text.replace(/[&<>]/g, (letter) => entities[letter] ?? letter);
