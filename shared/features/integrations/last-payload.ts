import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { findLastPayload, putLastPayload } from "../../store/users/last-payloads.ts";
import { decodeBody } from "./body.ts";
import { type Delivery, UnreadablePayload } from "./integration.ts";

/** The last payload that a bot received, for trying out its template: shortened, so that keeping it costs at most 2 write units. */

const maxStoredBytes = 1800;
/** Longer texts are not compressed: they hardly ever fit, and it would take its time. */
const maxCharacters = 30_000;

/** What is left of a payload, tried in this order until it fits: characters of a text, items of a list, fields, and depth. */
const sizes = [
  { characters: 1000, items: 20, fields: 200, depth: 20 },
  { characters: 200, items: 3, fields: 100, depth: 10 },
  { characters: 100, items: 1, fields: 40, depth: 6 },
  { characters: 30, items: 1, fields: 10, depth: 3 },
];

/** Keeps what a delivery contains for a week, in place of the one before. A body that cannot be read is not kept. */
export async function keepPayload(botId: number, delivery: Pick<Delivery, "headers" | "body">): Promise<void> {
  let payload: unknown;
  try {
    payload = decodeBody(delivery);
  } catch (error) {
    if (error instanceof UnreadablePayload) return;
    throw error;
  }
  for (const size of sizes) {
    const json = JSON.stringify(shortened(payload, size));
    if (json.length > maxCharacters) continue;
    // Within some milliseconds and at once, so that the write is in parallel with the reads that follow.
    const compressed = brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });
    if (compressed.length <= maxStoredBytes) return putLastPayload(botId, compressed);
  }
}

/** The payload that was kept, and when it came, in UNIX seconds. */
export async function readLastPayload(botId: number): Promise<{ payload: unknown; receivedAt: number } | undefined> {
  const found = await findLastPayload(botId);
  if (!found) return undefined;
  const json = brotliDecompressSync(found.compressed).toString();
  return { payload: JSON.parse(json), receivedAt: found.receivedAt };
}

function shortened(value: unknown, size: (typeof sizes)[number]): unknown {
  if (typeof value === "string") return value.slice(0, size.characters).toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (size.depth === 0) return null;
  const within = { ...size, depth: size.depth - 1 };
  if (Array.isArray(value)) return value.slice(0, size.items).map((item) => shortened(item, within));
  const fields = Object.entries(value).slice(0, size.fields);
  return Object.fromEntries(
    fields.map(([name, inner]) => [name.slice(0, size.characters).toWellFormed(), shortened(inner, within)]),
  );
}
