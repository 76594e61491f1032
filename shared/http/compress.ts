import { gzipSync } from "node:zlib";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { replyNeedsGzip, replyTooLong } from "../errors.ts";
import type { HttpEvent } from "./event.ts";

/** Bytes from which a reply costs more to carry than to pack: a page of messages is 70 KB, or 10 packed. */
const worthwhile = 10_000;

/** Lambda answers at most 6 MB, counted as the JSON text of status, headers and body. */
const maxBytes = 6 * 1024 * 1024 - 16_384;

/** Keeps a reply that is too long to be handed back, and returns a link to it. */
export type KeepLongReply = (reply: { content: Uint8Array; encoding?: "gzip" }) => Promise<string>;

/**
 * Packs a long text, such as a list of ten thousand users, for clients that can unpack it. Those that do not say (RFC 9110,
 * 12.5.3: they take anything) get it packed where it could not be sent otherwise; those that refuse, an error. With `keep`,
 * who cannot be sent it is sent to where it is kept, and gets it there packed only by their own word.
 */
export async function compressed(
  response: APIGatewayProxyStructuredResultV2,
  event: HttpEvent,
  keep?: KeepLongReply,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { body = "", headers = {}, isBase64Encoded } = response;
  if (isBase64Encoded || body.length < worthwhile) return response;
  const takes = takesGzip(event.headers?.["accept-encoding"]);
  if (takes !== true && fits(body)) return response;
  if (takes === false) {
    if (keep) return seeOther(await keep({ content: Buffer.from(body) }));
    throw replyNeedsGzip();
  }
  const gzipped = gzipSync(body);
  const packed = gzipped.toString("base64");
  if (packed.length > maxBytes) {
    if (keep)
      return seeOther(await keep(takes ? { content: gzipped, encoding: "gzip" } : { content: Buffer.from(body) }));
    throw replyTooLong();
  }
  return {
    ...response,
    headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" },
    body: packed,
    isBase64Encoded: true,
  };
}

/** What was asked for is got elsewhere, by GET and without credentials, whatever the method was. */
const seeOther = (location: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 303,
  headers: { location, "cache-control": "private, no-store" },
});

/** No character takes more than six bytes. */
const fits = (body: string) => body.length * 6 < maxBytes || Buffer.byteLength(JSON.stringify(body)) <= maxBytes;

/** Whether a client takes gzip by its Accept-Encoding; undefined where it sends none. */
export function takesGzip(acceptEncoding: string | undefined): boolean | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map(
    acceptEncoding.split(",").map((entry) => {
      const [coding = "", ...params] = entry.split(";").map((part) => part.trim().toLowerCase());
      return [coding, Number(params.find((param) => param.startsWith("q="))?.slice(2) ?? 1)];
    }),
  );
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}
