import { afterAll, beforeAll, expect, test } from "vitest";
import { queueUrlVariable } from "../../../shared/services/jobs/queues.ts";
import { callAws } from "../../support/hosts/aws-calls.ts";
import { aPrivateHost, type PrivateHost } from "../../support/hosts/private-host.ts";
import { isLocal } from "../../support/world.ts";

/** On a host without mail, no worker consumes jobs for it, so none may be enqueued; without devices, none for push. */

let host: PrivateHost;
beforeAll(async () => {
  host = await aPrivateHost({ SKEIN_MAIL_FROM: "", SKEIN_PUSH_BOUNCER_URL: "" });
});
afterAll(() => host?.stop());

async function countMessages(queue: string): Promise<number> {
  const QueueUrl = host.environment[queueUrlVariable(queue)];
  const { Attributes } = await callAws(host.environment, "SQSClient", "GetQueueAttributesCommand", { QueueUrl });
  return (
    Number(Attributes.ApproximateNumberOfMessages) +
    Number(Attributes.ApproximateNumberOfMessagesNotVisible) +
    Number(Attributes.ApproximateNumberOfMessagesDelayed)
  );
}

const scheduleState = async (name: string) => {
  const schedule = { Name: `recurring-${name}`, GroupName: "skein" };
  return (await callAws(host.environment, "SchedulerClient", "GetScheduleCommand", schedule)).State;
};

test.skipIf(!isLocal())(
  "without mail, its recurring work is disabled, and other recurring work is enabled",
  async () => {
    expect(await scheduleState("missed-mail-sweeps")).toBe("DISABLED");
    expect(await scheduleState("outbox-sweeps")).toBe("ENABLED");
  },
);

test.skipIf(!isLocal())("without a domain for incoming mail, channels have no address", async () => {
  const { streams } = await host.as("owner@globe.test", "GET", "/streams");
  const path = `/streams/${streams[0].stream_id}/email_address`;
  for (const method of ["GET", "POST"])
    expect(await host.as("owner@globe.test", method, path)).toMatchObject({ status: 200, email: "" });
});

test.skipIf(!isLocal())("without mail, push bouncer and browsers, no user action enqueues a job for them", async () => {
  const ownerEmail = "owner@globe.test";
  const yorick = await host.as(ownerEmail, "POST", "/users", {
    email: "yorick@globe.test",
    full_name: "Yorick",
    password: "a fellow of infinite jest",
  });
  const callAsOwner = (...call: [method: string, path: string, params?: Record<string, unknown>]) =>
    host.as(ownerEmail, ...call);
  const replies = [
    yorick,
    await host.as("yorick@globe.test", "POST", "/users/me/apns_device_token", { token: "00ff", appid: "test.app" }),
    await callAsOwner("POST", "/messages", { type: "direct", to: [yorick.user_id], content: "Alas" }),
    await callAsOwner("PATCH", `/users/${yorick.user_id}`, { new_email: "poor-yorick@globe.test" }),
    await callAsOwner("DELETE", `/users/${yorick.user_id}`, { deactivation_notification_comment: "I knew him" }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const queue of ["mail", "outgoing"]) expect([queue, await countMessages(queue)]).toEqual([queue, 0]);
});
