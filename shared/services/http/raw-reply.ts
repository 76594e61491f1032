import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** A reply outside the JSON envelope, such as a file or a redirect. */
export class RawReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;

  /** The values of Set-Cookie headers. */
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

  toResponse(): APIGatewayProxyStructuredResultV2 {
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

/** The same reply, which also sets or deletes a cookie. */
export const withCookie = ({ status, headers, body, cookies }: RawReply, cookie: string): RawReply =>
  new RawReply(status, headers, body, { cookies: [...cookies, cookie] });

/** A successful reply, in the envelope, that sets or deletes a cookie. */
export const cookieReply = (
  cookie: string,
  { headers = {}, fields = {} }: { headers?: Record<string, string>; fields?: Record<string, unknown> } = {},
) =>
  new RawReply(
    200,
    { "content-type": "application/json", "cache-control": "private, no-store", ...headers },
    Buffer.from(JSON.stringify({ result: "success", msg: "", ...fields })),
    { cookies: [cookie] },
  );

/**
 * Makes the client repeat the request, with its method and credentials, at a location that should be relative to this server.
 */
export const redirect = (location: string) => new RawReply(307, { location, "cache-control": "private, no-store" });

/** A picture at a public address. Kept for good if it is final, or else for a minute, after which a smaller one may be there. */
export const publicPicture = (contentType: string, content: Uint8Array, { isFinal }: { isFinal: boolean }) =>
  new RawReply(
    200,
    {
      "content-type": contentType,
      "cache-control": isFinal ? "public, max-age=31536000, immutable" : "public, max-age=60",
      "content-security-policy": "default-src 'none'; sandbox",
    },
    content,
  );
