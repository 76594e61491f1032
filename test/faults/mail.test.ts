import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import { deliverMail } from "../../shared/services/mail/send.ts";
import { sendMail } from "../../shared/services/mail/ses.ts";
import { withFailure } from "../support/faults.ts";
import { aReceiver, type Receiver } from "../support/outside/receiver.ts";
import "../support/world.ts";

/** Runs the worker with a fake SES that records the mails. */

let ses: Receiver;
/** The errors that SES returns for mails that contain a text. */
const errorsByText = new Map<string, string>();
/** The jobs of mails that were enqueued again. */
const requeued: { job: Record<string, unknown>; delaySeconds: number }[] = [];

beforeAll(async () => {
  ses = await aReceiver(({ body }, response) => {
    const [, error] = [...errorsByText].find(([text]) => body.includes(text)) ?? [];
    if (error)
      response.writeHead(429, { "x-amzn-errortype": error }).end('{"message":"Maximum sending rate exceeded."}');
    else response.end(JSON.stringify({ MessageId: randomUUID() }));
  });
  Object.assign(process.env, { AWS_ENDPOINT_URL_SESV2: ses.url, MAIL_FROM: "skein@globe.test" });
  observeAwsCalls(async ({ command, input }, proceed) => {
    const sent = command === "SendMessageCommand" ? (JSON.parse(String(input.MessageBody)) as any) : undefined;
    if (!String(sent?.id ?? sent?.job?.id).startsWith("case-")) return proceed();
    requeued.push({ job: sent.job ?? sent, delaySeconds: Number(input.DelaySeconds) });
    return { response: {}, output: { $metadata: {} } };
  });
});
afterEach(() => vi.useRealTimers());

const aMail = (text: string) => ({ id: `case-${randomUUID()}`, to: "viola@globe.test", subject: "Mail", text });
/** Simulates the expiry of the lease of a worker that died. */
const expireLease = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 91_000 });
const mailsReceived = (id: string) => ses.requests.flatMap(({ body }) => (body.includes(id) ? [JSON.parse(body)] : []));

describe("a worker that dies (the test's own process plays it)", () => {
  test.each([
    ["before it takes the mail's lease", 1, "before", 1],
    ["after it has taken the lease", 1, "afterwards", 1],
    ["before it calls SES", 2, "before", 1],
    ["after SES has replied", 2, "afterwards", 2],
    ["before it records SES's reply", 3, "before", 2],
    ["after it has recorded the reply", 3, "afterwards", 1],
  ] as const)("%s (call %i, %s): the mail is sent at least once, %i times in total", async (_, step, when, times) => {
    const mail = aMail(`${step} ${when}`);

    const { reached } = await withFailure(step, when, () => deliverMail(mail, sendMail));
    expireLease();
    await deliverMail(mail, sendMail);
    await deliverMail(mail, sendMail);

    expect(reached).toBe(true);
    // A mail may be sent twice only if the worker dies between SES's response and recording it; both have the same ID.
    const mails = mailsReceived(mail.id);
    expect(mails).toHaveLength(times);
    for (const mailRequest of mails)
      expect(mailRequest.Content.Simple.Headers).toContainEqual({ Name: "X-Skein-Mail", Value: mail.id });
    expect(mails.at(-1)).toEqual(mails[0]);
  });

  test("holds the mail's lease for 90 seconds, in which no other worker sends it", async () => {
    const mail = aMail("taken");
    await withFailure(2, "before", () => deliverMail(mail, sendMail));

    await expect(deliverMail(mail, sendMail)).rejects.toThrow("Another worker is sending this mail");

    expect(mailsReceived(mail.id)).toEqual([]);
  });
});

describe("an SES that throttles", () => {
  test.each(["TooManyRequestsException", "ThrottlingException", "LimitExceededException"])(
    "(%s) receives the mail later, once",
    async (error) => {
      const mail = aMail(`crowded ${error}`);
      errorsByText.set(mail.text, error);

      await deliverMail(mail, sendMail);
      const [requeuedJob] = requeued.filter(({ job }) => job.id === mail.id);
      errorsByText.delete(mail.text);
      expireLease();
      const before = mailsReceived(mail.id).length;
      for (let time = 0; time < 2; time++) await deliverMail(requeuedJob?.job as typeof mail, sendMail);

      expect(requeuedJob).toMatchObject({ job: { ...mail, waiting_since: expect.any(Number) } });
      expect(requeuedJob?.delaySeconds).toBeGreaterThanOrEqual(100);
      expect(requeuedJob?.delaySeconds).toBeLessThanOrEqual(900);
      expect(mailsReceived(mail.id)).toHaveLength(before + 1);
    },
  );

  test("is retried for two days, while any other error fails at once", async () => {
    const [old, refused] = [aMail("waiting for long"), aMail("refused")];
    errorsByText.set(old.text, "TooManyRequestsException").set(refused.text, "MessageRejected");

    const waiting_since = Math.floor(Date.now() / 1000) - 2 * 86_400 - 60;
    await expect(deliverMail({ ...old, waiting_since }, sendMail)).rejects.toMatchObject({
      name: "TooManyRequestsException",
    });
    await expect(deliverMail(refused, sendMail)).rejects.toMatchObject({ name: "MessageRejected" });

    expect(requeued.filter(({ job }) => [old.id, refused.id].includes(String(job.id)))).toEqual([]);
  });
});
