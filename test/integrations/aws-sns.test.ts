import { execFileSync } from "node:child_process";
import { createSign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadExamples } from "../../infra/reference/integration-examples.ts";
import {
  checkSnsSignature,
  confirmSubscription,
  type SnsMessage,
} from "../../shared/features/integrations/sns-signature.ts";
import { service } from "../../shared/features/integrations/webhooks/aws_sns/service.ts";
import { anIntegration } from "./deliveries.ts";

/** Messages that are signed as AWS documents it, with a certificate of the test's own. */

const folder = mkdtempSync(join(tmpdir(), "skein-sns-"));
afterAll(() => rmSync(folder, { recursive: true }));

function aCertificate(name: string) {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const subject = ["-subj", `/CN=${name}`, "-days", "2"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, ...subject],
    { stdio: "ignore" },
  );
  return { key: readFileSync(key, "utf8"), certificate: readFileSync(certificate, "utf8") };
}

const own = aCertificate("sns.amazonaws.com");
const other = aCertificate("sns.evil.example");
let nextUrl = 0;
/** A URL each time, because certificates are kept by their URLs. */
const aCertificateUrl = () =>
  `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${(++nextUrl).toString(16).padStart(32, "0")}.pem`;

const notification = {
  ...{ Type: "Notification", MessageId: "22b80b92", TopicArn: "arn:aws:sns:eu-west-1:1:alarms", Subject: "Tempest" },
  ...{ Message: "It is\nover ✓", Timestamp: "2026-03-01T12:00:00.000Z" },
};
const confirmation = {
  ...{ ...notification, Type: "SubscriptionConfirmation", Token: "abc", Subject: undefined },
  SubscribeURL: `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${notification.TopicArn}&Token=abc`,
};

function signed(
  message: Omit<SnsMessage, "Signature" | "SignatureVersion" | "SigningCertURL">,
  version = "2",
): SnsMessage {
  const fields = Object.entries(message).filter(([, value]) => value !== undefined);
  const text = fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}\n${value}\n`)
    .join("");
  const algorithm = version === "1" ? "RSA-SHA1" : "RSA-SHA256";
  const Signature = createSign(algorithm).update(text).sign(own.key, "base64");
  return { ...message, Signature, SignatureVersion: version, SigningCertURL: aCertificateUrl() };
}

const fetchOwn = async () => own.certificate;

test.each([
  ["1", notification],
  ["2", notification],
  ["2", confirmation],
  ["2", { ...notification, Subject: undefined }],
])("a message with a signature of version %s is accepted", async (version, message) => {
  await checkSnsSignature(signed(message, version), fetchOwn);
});

test.each<[string, (message: SnsMessage) => SnsMessage, () => Promise<string>]>([
  ["another text", (message) => ({ ...message, Message: "It goes on" }), fetchOwn],
  ["a field more", (message) => ({ ...message, Subject: "x" }), fetchOwn],
  ["another type", (message) => ({ ...message, Type: "Anything" }), fetchOwn],
  ["no signature", (message) => ({ ...message, Signature: "" }), fetchOwn],
  ["another version", (message) => ({ ...message, SignatureVersion: "3" }), fetchOwn],
  ["a certificate for another name", (message) => message, async () => other.certificate],
  ["no certificate", (message) => message, async () => "<html>"],
  ...[
    "http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-00000000000000000000000000000001.pem",
    "https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-00000000000000000000000000000001.pem",
    "https://evil.s3.amazonaws.com/SimpleNotificationService-00000000000000000000000000000001.pem",
    "https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-00000000000000000000000000000001.pem",
    "https://sns.eu-west-1.amazonaws.com:8443/SimpleNotificationService-00000000000000000000000000000001.pem",
    "https://sns.eu-west-1.amazonaws.com/evil.pem",
    "",
  ].map((url): [string, (message: SnsMessage) => SnsMessage, () => Promise<string>] => [
    `the certificate ${url}`,
    (message) => ({ ...message, SigningCertURL: url }),
    async () => {
      throw new Error("fetched");
    },
  ]),
])("a message with %s is refused", async (_, change, fetch) => {
  const { Subject: _subject, ...plain } = notification;
  await expect(checkSnsSignature(change(signed(plain)), fetch)).rejects.toThrow("not signed by Amazon SNS");
});

test("a subscription is confirmed by its link, which leads to SNS and to the topic that is signed", async () => {
  const fetched: string[] = [];
  const fetch = async (url: string) => {
    fetched.push(url);
    return "";
  };

  await confirmSubscription(signed(confirmation), fetch);

  expect(fetched).toEqual([confirmation.SubscribeURL]);
  for (const url of [
    confirmation.SubscribeURL.replace("eu-west-1.amazonaws.com", "evil.example"),
    confirmation.SubscribeURL.replace("https", "http"),
    confirmation.SubscribeURL.replace(":alarms", ":others"),
    confirmation.SubscribeURL.replace("ConfirmSubscription", "DeleteTopic"),
    "http://169.254.169.254/latest/meta-data/",
  ])
    await expect(confirmSubscription(signed({ ...confirmation, SubscribeURL: url }), fetch)).rejects.toThrow(
      "not signed",
    );
  expect(fetched).toHaveLength(1);
});

test("examples are posted as they are declared", async () => {
  const delivery = { headers: {}, body: Buffer.alloc(0), parameter: () => undefined, config: {} };
  for (const [, payload, topic, content] of await loadExamples("aws_sns")) {
    const post = service.toPost(service.payload.parse(payload), delivery);
    if (topic !== undefined) expect(post).toMatchObject({ topic, content });
  }
});

test("requests that SNS has not signed are refused, and raw ones with advice", async () => {
  const { post, messages } = await anIntegration("aws_sns");
  const [, [, alarm] = []] = await loadExamples("aws_sns");
  const unsigned = { ...(alarm as object), SigningCertURL: "https://evil.example/x.pem" };

  const answers = [
    await post(unsigned),
    await post(unsigned, { headers: { "x-amz-sns-rawdelivery": "true" } }),
    await post({ AlarmName: "x" }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([401, 400, 400]);
  expect(answers[1]?.body.msg).toContain("raw message delivery is on");
  expect(await messages()).toEqual([]);
});
