import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { AwsError } from "./protocol.ts";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** What a signed request says of itself, in its Authorization header or in a presigned link's query. */
export interface Claim {
  accessKeyId: string;
  date: string;
  region: string;
  service: string;
  signedHeaders: string[];
  signature: string;
  /** When it was signed, as "20261121T120000Z". */
  time: string;
  /** Seconds for which a presigned link is good. */
  expires?: number;
}

interface SignedRequest {
  method: string;
  path: string;
  query: Map<string, string>;
  headers: IncomingHttpHeaders;
}

const clockSkewMs = 15 * 60_000;
const headerForm = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)$/;
const refuse = (code: string, message: string) => new AwsError(code, message, { status: 403 });

/** Reads who signed a request and for which service; undefined when nobody did. */
export function claimOf({ query, headers }: Pick<SignedRequest, "query" | "headers">): Claim | undefined {
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

/** Throws unless the claim was signed with `credentials`, over exactly this request, and is still good. */
export function checkSignature(claim: Claim, request: SignedRequest, credentials: Credentials, payloadHash: string) {
  if (claim.accessKeyId !== credentials.accessKeyId) {
    throw claim.service === "s3"
      ? refuse("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
      : refuse("UnrecognizedClientException", "The security token included in the request is invalid.");
  }
  const signature = createHmac("sha256", signingKey(claim, credentials.secretAccessKey))
    .update(stringToSign(claim, request, payloadHash))
    .digest();
  const given = Buffer.from(claim.signature, "hex");
  if (given.length !== signature.length || !timingSafeEqual(given, signature)) {
    throw refuse(
      claim.service === "s3" ? "SignatureDoesNotMatch" : "InvalidSignatureException",
      "The request signature we calculated does not match the signature you provided.",
    );
  }
  checkTime(claim);
}

function checkTime({ time, expires }: Claim): void {
  const signedAt = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..)Z$/, "$1-$2-$3:$4:$5Z"));
  if (!(signedAt - clockSkewMs <= Date.now())) throw refuse("AccessDenied", "Request is not valid yet");
  if (expires === undefined) {
    if (signedAt + clockSkewMs < Date.now()) {
      throw refuse(
        "RequestTimeTooSkewed",
        "The difference between the request time and the current time is too large.",
      );
    }
    return;
  }
  if (!Number.isInteger(expires) || expires < 0 || expires > 604_800) {
    throw new AwsError("AuthorizationQueryParametersError", "X-Amz-Expires must be between 0 and 604800 seconds");
  }
  if (signedAt + expires * 1000 <= Date.now()) throw refuse("AccessDenied", "Request has expired");
}

/** One for each service and day: most requests share theirs. */
const signingKeys = new Map<string, KeyObject>();

function signingKey({ date, region, service }: Claim, secret: string): KeyObject {
  const parts = [date, region, service, "aws4_request"];
  const name = [secret, ...parts].join("\n");
  const known = signingKeys.get(name);
  if (known) return known;
  if (signingKeys.size > 50) signingKeys.clear();
  let bytes: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of parts) bytes = createHmac("sha256", bytes).update(part).digest();
  const key = createSecretKey(bytes);
  signingKeys.set(name, key);
  return key;
}

function stringToSign(claim: Claim, { method, path, query, headers }: SignedRequest, payloadHash: string): string {
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonical = [
    method,
    // S3 signs the path as it is sent; every other service escapes it once more.
    claim.service === "s3" ? path : path.split("/").map(encoded).join("/"),
    [...query]
      .filter(([name]) => name !== "X-Amz-Signature")
      .map(([name, value]) => [encoded(name), encoded(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map((pair) => pair.join("="))
      .join("&"),
    ...claim.signedHeaders.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/\s+/g, " ")}`,
    ),
    "",
    claim.signedHeaders.join(";"),
    payloadHash,
  ].join("\n");
  const scope = `${claim.date}/${claim.region}/${claim.service}/aws4_request`;
  return ["AWS4-HMAC-SHA256", claim.time, scope, hash("sha256", canonical)].join("\n");
}
