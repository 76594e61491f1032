import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { AwsError } from "./protocol.ts";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** A SigV4 signature as sent in the Authorization header or in a presigned link's query; not verified yet. */
export interface RequestSignature {
  accessKeyId: string;
  /** The day of the signing key, such as "20261121". */
  date: string;
  region: string;
  service: string;
  signedHeaders: string[];
  signature: string;
  /** When the request was signed, such as "20261121T120000Z". */
  time: string;
  /** Seconds for which a presigned link is valid. */
  expires?: number;
}

interface SignedRequest {
  method: string;
  path: string;
  query: Map<string, string>;
  headers: IncomingHttpHeaders;
}

/** How far the clocks of a client and of AWS may differ. */
const clockSkewMs = 15 * 60_000;
/** Seven days, AWS's limit for presigned links. */
const maxLinkSeconds = 604_800;
const headerForm = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/;
const forbidden = (code: string, message: string) => new AwsError(code, message, { status: 403 });

/** Reads a request's signature; undefined if it is not signed. */
export function parseSignature({
  query,
  headers,
}: Pick<SignedRequest, "query" | "headers">): RequestSignature | undefined {
  const header = headerForm.exec(headers.authorization ?? "");
  const [credential, signedHeaders, signature] = header
    ? header.slice(1)
    : [query.get("X-Amz-Credential"), query.get("X-Amz-SignedHeaders"), query.get("X-Amz-Signature")];
  const [accessKeyId, date, region, service] = credential?.split("/") ?? [];
  if (!accessKeyId || !date || !region || !service || !signedHeaders || !signature) return undefined;
  const time = header ? String(headers["x-amz-date"] ?? "") : (query.get("X-Amz-Date") ?? "");
  return {
    ...{ accessKeyId, date, region, service, signature, time, signedHeaders: signedHeaders.split(";") },
    ...(!header && { expires: Number(query.get("X-Amz-Expires")) }),
  };
}

/** Throws unless the signature was made with `credentials` over exactly this request and has not expired. */
export function checkSignature(
  signed: RequestSignature,
  request: SignedRequest,
  credentials: Credentials,
  payloadHash: string,
) {
  if (signed.accessKeyId !== credentials.accessKeyId) {
    throw signed.service === "s3"
      ? forbidden("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
      : forbidden("UnrecognizedClientException", "The security token included in the request is invalid.");
  }
  const signature = createHmac("sha256", signingKey(signed, credentials.secretAccessKey))
    .update(stringToSign(signed, request, payloadHash))
    .digest();
  const sentSignature = Buffer.from(signed.signature, "hex");
  if (sentSignature.length !== signature.length || !timingSafeEqual(sentSignature, signature)) {
    throw forbidden(
      signed.service === "s3" ? "SignatureDoesNotMatch" : "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided.",
    );
  }
  checkTime(signed);
}

function checkTime({ time, expires }: RequestSignature): void {
  const signedAt = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)Z$/, "$1-$2-$3:$4:$5Z"));
  if (!(signedAt - clockSkewMs <= Date.now())) throw forbidden("AccessDenied", "Request is not valid yet");
  if (expires === undefined) {
    if (signedAt + clockSkewMs < Date.now()) {
      throw forbidden(
        "RequestTimeTooSkewed",
        "The difference between the request time and the current time is too large.",
      );
    }
    return;
  }
  if (!Number.isInteger(expires) || expires < 0 || expires > maxLinkSeconds) {
    throw new AwsError("AuthorizationQueryParametersError", "X-Amz-Expires must be between 0 and 604800 seconds");
  }
  if (signedAt + expires * 1000 <= Date.now()) throw forbidden("AccessDenied", "Request has expired");
}

const maxSigningKeys = 50;
/** Cached signing keys, one for each service and day. */
const signingKeys = new Map<string, KeyObject>();

function signingKey({ date, region, service }: RequestSignature, secret: string): KeyObject {
  const parts = [date, region, service, "aws4_request"];
  const name = [secret, ...parts].join("\n");
  const cached = signingKeys.get(name);
  if (cached) return cached;
  if (signingKeys.size > maxSigningKeys) signingKeys.clear();
  let bytes: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of parts) bytes = createHmac("sha256", bytes).update(part).digest();
  const key = createSecretKey(bytes);
  signingKeys.set(name, key);
  return key;
}

function stringToSign(
  signed: RequestSignature,
  { method, path, query, headers }: SignedRequest,
  payloadHash: string,
): string {
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonical = [
    method,
    // S3 signs the path as sent; every other service encodes it a second time.
    signed.service === "s3" ? path : path.split("/").map(encoded).join("/"),
    [...query]
      .filter(([name]) => name !== "X-Amz-Signature")
      .map(([name, value]) => [encoded(name), encoded(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map((pair) => pair.join("="))
      .join("&"),
    ...signed.signedHeaders.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/\s+/g, " ")}`,
    ),
    "",
    signed.signedHeaders.join(";"),
    payloadHash,
  ].join("\n");
  const scope = `${signed.date}/${signed.region}/${signed.service}/aws4_request`;
  return ["AWS4-HMAC-SHA256", signed.time, scope, hash("sha256", canonical)].join("\n");
}
