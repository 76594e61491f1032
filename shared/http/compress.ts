import { gzipSync } from "node:zlib";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { HttpEvent } from "./event.ts";

/** Lambda answers at most 6 MB, counted as JSON text; what is far below is quicker as it is. */
const worthwhile = 500_000;

/** Packs a long text, such as a list of ten thousand users, for clients that can unpack it. */
export function compressed(
  response: APIGatewayProxyStructuredResultV2,
  event: HttpEvent,
): APIGatewayProxyStructuredResultV2 {
  const { body = "", headers = {}, isBase64Encoded } = response;
  if (isBase64Encoded || body.length < worthwhile || !/\bgzip\b/i.test(event.headers?.["accept-encoding"] ?? ""))
    return response;
  return {
    ...response,
    headers: { ...headers, "content-encoding": "gzip", vary: "accept-encoding" },
    body: gzipSync(body).toString("base64"),
    isBase64Encoded: true,
  };
}
