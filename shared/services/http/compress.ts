import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { replyNeedsGzip, replyTooLong } from "../../base/errors.ts";
import { currentHost } from "../../base/host.ts";
import type { HttpEvent } from "./event.ts";

/** Shorter replies are not worth compressing. A page of messages is 70 KB, or 10 KB compressed. */
const minCompressedCharacters = 10_000;

/** Stores a reply that exceeds Lambda's limit, and returns a link to it. */
export type StoreLongReply = (reply: { content: Uint8Array; encoding?: "gzip" }) => Promise<string>;

/**
 * Compresses a long reply, such as a list of 10,000 users, for clients that accept gzip. A client that sends no Accept-Encoding
 * (which means any encoding, RFC 9110, 12.5.3) gets a compressed reply only if the reply exceeds Lambda's limit otherwise. A
 * reply that exceeds the limit even when compressed, or as it is when its client refuses gzip, is stored by `store`, and the
 * client is redirected to it. Without `store`, such a reply is an error.
 */
export async function compressReply(
  response: APIGatewayProxyStructuredResultV2,
  event: HttpEvent,
  store?: StoreLongReply,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { body = "", headers = {}, isBase64Encoded } = response;
  if (isBase64Encoded || body.length < minCompressedCharacters) return response;
  const accepts = acceptsGzip(event.headers?.["accept-encoding"]);
  if (accepts !== true && fitsUncompressed(body)) return response;
  if (accepts === false) {
    if (store) return seeOther(await store({ content: Buffer.from(body) }));
    throw replyNeedsGzip();
  }
  // In a thread of the pool: on one machine, a reply of megabytes would hold up everybody.
  const gzipped = await promisify(gzip)(body);
  const encoded = gzipped.toString("base64");
  if (encoded.length > currentHost().maxBodyBytes) {
    if (store)
      return seeOther(await store(accepts ? { content: gzipped, encoding: "gzip" } : { content: Buffer.from(body) }));
    throw replyTooLong();
  }
  return {
    ...response,
    headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" },
    body: encoded,
    isBase64Encoded: true,
  };
}

/** A 303 redirect: the client fetches the link by GET and without its credentials, whatever the request's method was. */
const seeOther = (location: string): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 303,
  headers: { location, "cache-control": "private, no-store" },
});

/** Avoids serializing short bodies: a UTF-16 unit takes at most six bytes in JSON. */
function fitsUncompressed(body: string): boolean {
  const { maxBodyBytes } = currentHost();
  return body.length * 6 < maxBodyBytes || Buffer.byteLength(JSON.stringify(body)) <= maxBodyBytes;
}

/** Whether an Accept-Encoding header accepts gzip; undefined without the header. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map(
    acceptEncoding.split(",").map((entry) => {
      const [coding = "", ...params] = entry.split(";").map((part) => part.trim().toLowerCase());
      return [coding, Number(params.find((param) => param.startsWith("q="))?.slice(2) ?? 1)];
    }),
  );
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}
