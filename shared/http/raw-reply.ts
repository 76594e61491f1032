import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** A reply outside the envelope: bytes with their headers, or a redirect. */
export class RawReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: Uint8Array | undefined;

  constructor(status: number, headers: Record<string, string>, body?: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  structured(): APIGatewayProxyStructuredResultV2 {
    const { status, headers, body } = this;
    if (!body) return { statusCode: status, headers };
    return { statusCode: status, headers, body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
  }
}

/** Has the client ask the same elsewhere, with its credentials; a `location` that is relative keeps it on this server. */
export const redirect = (location: string) => new RawReply(307, { location, "cache-control": "private, no-store" });
