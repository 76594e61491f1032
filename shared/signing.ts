import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

/** What a request to AWS must be signed with. */
export interface Signer {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** Where a signature is good. */
export interface Scope {
  /** As it signs itself: "dynamodb", "sqs". */
  service: string;
  region: string;
}

/** The headers that a request must carry beside its own: AWS Signature Version 4 of a POST to the service's root. */
export function signatureOf(
  { headers, body }: { headers: Record<string, string>; body: string },
  { accessKeyId, secretAccessKey, sessionToken }: Signer,
  { service, region }: Scope,
  now = new Date(),
): Record<string, string> {
  const time = `${now.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const day = time.slice(0, 8);
  const added = { "x-amz-date": time, ...(sessionToken && { "x-amz-security-token": sessionToken }) };
  const signed = Object.entries({ ...headers, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const canonical = `POST\n/\n\n${lines}\n${names}\n${hash("sha256", body)}`;
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash("sha256", canonical)}`;
  const signature = createHmac("sha256", keyOf(secretAccessKey, day, region, service))
    .update(text)
    .digest("hex");
  return {
    ...added,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Each service's key of a day, which its requests share; as an object of its own, which is cheaper to use than bytes. */
const kept = new Map<string, { secret: string; day: string; region: string; key: KeyObject }>();

function keyOf(secret: string, day: string, region: string, service: string): KeyObject {
  const known = kept.get(service);
  if (known?.secret === secret && known.day === day && known.region === region) return known.key;
  const step = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const bytes = [region, service, "aws4_request"].reduce<Buffer>(step, step(`AWS4${secret}`, day));
  const key = createSecretKey(bytes);
  kept.set(service, { secret, day, region, key });
  return key;
}
