import { createVerify, X509Certificate } from "node:crypto";
import { Unavailable } from "../../base/aws/unavailable.ts";
import { unauthorized } from "../../base/errors.ts";
import { ProcessCache } from "../../base/process-cache.ts";
import { sendOutgoing } from "../../messaging/outgoing-webhooks/request.ts";

/** Messages of Amazon SNS: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html */

/** The fields that are signed, and what names the signature, as they were sent. */
export interface SnsMessage {
  Type: string;
  MessageId: string;
  TopicArn: string;
  Message: string;
  Timestamp: string;
  Subject?: string | undefined;
  Token?: string | undefined;
  SubscribeURL?: string | undefined;
  Signature: string;
  SignatureVersion: string;
  SigningCertURL: string;
}

/** Gets a URL of SNS; throws if that is not possible now. Tests replace it. */
type SnsFetch = (url: string) => Promise<string>;

const deadlineMs = 5_000;
const maxBytes = 64 * 1024;

/** By the rules of all outgoing requests. */
const fetchFromSns: SnsFetch = async (url) => {
  const { status, body } = await sendOutgoing({ url, method: "GET", deadlineMs, maxBytes }).catch((cause: unknown) => {
    throw new Unavailable("Amazon SNS could not be reached", { cause });
  });
  // SNS repeats the request.
  if (status !== 200) throw new Unavailable(`Amazon SNS answered ${status}`);
  return body;
};

const signedFields: Readonly<Record<string, readonly (keyof SnsMessage)[]>> = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
  UnsubscribeConfirmation: ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"],
};

const algorithms: Readonly<Record<string, string>> = { 1: "RSA-SHA1", 2: "RSA-SHA256" };

/** Certificates by URL. A URL has the hash of its certificate, so that it never changes. */
const certificates = new ProcessCache<string, string>({ minRetained: 20 });
const certificateTtlMs = 24 * 3600_000;

/** Throws a 401 for a message that SNS has not signed. */
export async function checkSnsSignature(message: SnsMessage, fetch: SnsFetch = fetchFromSns): Promise<void> {
  const { SigningCertURL: url, SignatureVersion: version, Signature: signature, Type: type } = message;
  const fields = Object.hasOwn(signedFields, type) ? signedFields[type] : undefined;
  const algorithm = Object.hasOwn(algorithms, version) ? algorithms[version] : undefined;
  if (!fields || !algorithm || !isOfSns(url, /^\/SimpleNotificationService-[\da-f]{16,64}\.pem$/)) throw notSigned();
  let pem = certificates.get(url);
  if (pem === undefined) {
    pem = await fetch(url);
    certificates.set(url, pem, { ttlMs: certificateTtlMs });
  }
  const certificate = parse(pem);
  const text = fields
    .flatMap((field) => (message[field] === undefined ? [] : `${field}\n${message[field]}\n`))
    .join("");
  const isSigned =
    certificate !== undefined &&
    isCurrent(certificate) &&
    createVerify(algorithm).update(text, "utf8").verify(certificate.publicKey, signature, "base64");
  if (!isSigned) throw notSigned();
}

/** Confirms a subscription, of which the message must be signed; throws a 401 for a URL that does not lead to SNS. */
export async function confirmSubscription(message: SnsMessage, fetch: SnsFetch = fetchFromSns): Promise<void> {
  const { SubscribeURL: url = "", TopicArn: topic } = message;
  const query = isOfSns(url, /^\/$/) ? new URL(url).searchParams : undefined;
  if (query?.get("Action") !== "ConfirmSubscription" || query.get("TopicArn") !== topic) throw notSigned();
  await fetch(url);
}

const notSigned = () => unauthorized("The request is not signed by Amazon SNS.");

/** Whether a URL leads to a path of SNS itself, and not to what anybody may have at amazonaws.com. */
function isOfSns(text: string, path: RegExp): boolean {
  const url = URL.parse(text);
  return (
    url?.protocol === "https:" &&
    /^sns\.[a-z\d-]{3,30}\.amazonaws\.com(\.cn)?$/.test(url.host) &&
    path.test(url.pathname) &&
    url.username === "" &&
    url.password === ""
  );
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function isCurrent({ subject, validFrom, validTo }: X509Certificate): boolean {
  const now = Date.now();
  const isOwn = subject.split("\n").some((part) => /^CN=sns\.([a-z\d-]+\.)?amazonaws\.com(\.cn)?$/.test(part));
  return isOwn && Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
