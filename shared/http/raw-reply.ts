import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** A reply outside the envelope: bytes with their headers, or a redirect. */
export class RawReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;

  /** Headers by which the browser gets cookies, or loses them. */
  readonly cookies: readonly string[];

  constructor(
    status: number,
    headers: Record<string, string>,
    body?: Uint8Array,
    { cookies = [] }: { cookies?: readonly string[] } = {},
  ) {
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.cookies = cookies;
  }

  structured(): APIGatewayProxyStructuredResultV2 {
    const { status, headers, body } = this;
    const cookies = this.cookies.length > 0 && { cookies: [...this.cookies] };
    if (!body) return { statusCode: status, headers, ...cookies };
    return {
      statusCode: status,
      headers,
      ...cookies,
      body: Buffer.from(body).toString("base64"),
      isBase64Encoded: true,
    };
  }
}

/** A successful reply without fields, in the envelope, that gives the browser a cookie or takes one away. */
export const withCookie = (cookie: string) =>
  new RawReply(
    200,
    { "content-type": "application/json", "cache-control": "private, no-store" },
    Buffer.from(JSON.stringify({ result: "success", msg: "" })),
    { cookies: [cookie] },
  );

/** Has the client ask the same elsewhere, with its credentials; a `location` that is relative keeps it on this server. */
export const redirect = (location: string) => new RawReply(307, { location, "cache-control": "private, no-store" });
