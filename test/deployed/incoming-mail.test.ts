import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { fetchTopic } from "../support/messages.ts";
import { sesEvent } from "../support/outside/ses-event.ts";
import { target } from "../support/target.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson } from "../support/world.ts";

/** MiniStack's SES receives nothing, so the test does what SES does on AWS: stores the mail, and invokes the function. */

async function receive(id: string, raw: string, to: string): Promise<void> {
  const { environment, url } = target();
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const s3 = new S3Client({ endpoint: url, region: "us-east-1", credentials, forcePathStyle: true });
  const Key = `incoming-mail/${id}`;
  await s3.send(new PutObjectCommand({ Bucket: environment.FILES_BUCKET, Key, Body: raw }));
  s3.destroy();
  const { status } = await fetch(`${url}/2015-03-31/functions/${environment.FUNCTION_ARN_RECEIVE_MAILS}/invocations`, {
    method: "POST",
    headers: {
      "x-amz-invocation-type": "Event",
      // MiniStack verifies no signatures.
      authorization:
        "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify(sesEvent(id, "outside@example.com", [to])),
  });
  expect(status).toBe(202);
}

test("a mail that SES has stored becomes a message", async () => {
  const ann = await aPerson("Ann");
  const channel = await aChannel("post", [ann]);
  const { email } = await ann.do("GET", `/streams/${channel.id}/email_address`);
  expect(email).toMatch(/@mail\.globe\.test$/);
  const raw =
    "Authentication-Results: amazonses.com; dmarc=pass header.from=example.com;\nSubject: From outside\nFrom: outside@example.com\n\nGood news";
  await receive(`mail-${ann.id}`, raw, email);
  const [message] = await eventually(async () => {
    const messages = await fetchTopic(ann, channel, "From outside");
    return messages.length > 0 && messages;
  }, 60);
  // Confirmed by what SES has written above the sender's headers.
  expect(message).toMatchObject({ content: "From: outside@example.com\n\nGood news", client: "Email" });
});
