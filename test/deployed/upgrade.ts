import { setTimeout as pause } from "node:timers/promises";
import type { Visitor } from "./visitor.ts";

/** The data that existed before the upgrade, and how requests fared during it; tests find it in SKEIN_UPGRADE. */
export interface Upgrade {
  apiKey: string;
  messageId: number;
  content: string;
  /** The path of the uploaded file. */
  upload: string;
  scheduledContent: string;
  /** The number of requests during the upgrade. */
  requests: number;
  /** The replies of the failed requests. */
  failures: string[];
}

type DataBeforeUpgrade = Omit<Upgrade, "requests" | "failures">;

/** Writes data that an upgrade must not lose: a message, a file, and a scheduled message. */
export async function writeDataBeforeUpgrade(visitor: Visitor): Promise<DataBeforeUpgrade> {
  const content = "Written before the upgrade.";
  const scheduledContent = "Scheduled before the upgrade.";
  const to = { type: "channel", to: "stage", topic: "upgrade" };
  const sent = await visitor.call("POST", "/api/v1/messages", { ...to, content });
  const boundary = "skein-upgrade";
  const file = [
    `--${boundary}`,
    'content-disposition: form-data; name="file"; filename="prompt-book.txt"',
    "content-type: text/plain",
    "",
    "Kept before the upgrade.",
    `--${boundary}--`,
    "",
  ].join("\r\n");
  const uploaded = await visitor.call(
    "POST",
    "/api/v1/user_uploads",
    file,
    `multipart/form-data; boundary=${boundary}`,
  );
  const { body } = await visitor.call("GET", "/api/v1/streams");
  const { stream_id } = body.streams.find(({ name }: { name: string }) => name === "stage");
  const scheduled = await visitor.call("POST", "/api/v1/scheduled_messages", {
    ...to,
    to: String(stream_id),
    content: scheduledContent,
    scheduled_delivery_timestamp: String(Math.floor(Date.now() / 1000) + 60),
  });
  for (const { status, text } of [sent, uploaded, scheduled])
    if (status !== 200) throw new Error(`Nothing could be written before the upgrade: ${status} ${text}`);
  return { apiKey: visitor.key, messageId: sent.body.id, content, upload: uploaded.body.url, scheduledContent };
}

type Send = () => Promise<{ status: number; text: string }>;

/**
 * Sends a request. During an update, MiniStack removes a function's process and folder while requests are on their way to
 * it, and replies 502 until the new version runs, which AWS does not do; such a request is retried for up to 3 seconds.
 */
async function sendWithRetries(sendRequest: Send) {
  const sendOnce = () => sendRequest().catch((error: Error) => ({ status: 0, text: String(error) }));
  let answer = await sendOnce();
  for (let attempt = 0; attempt < 10 && answer.status === 502 && answer.text.includes("errorType"); attempt++) {
    await pause(300);
    answer = await sendOnce();
  }
  return answer;
}

/** Upgrades the fleet while a client continuously reads and writes. */
export async function underLoad<T>(visitor: Visitor, upgrade: () => Promise<T>) {
  const failures: string[] = [];
  let requests = 0;
  let done = false;
  const read = () => visitor.call("GET", "/api/v1/messages", { anchor: "newest", num_before: "1", num_after: "0" });
  const write = () =>
    visitor.call("POST", "/api/v1/messages", {
      ...{ type: "channel", to: "stage", topic: "during the upgrade" },
      content: `request ${requests}`,
    });
  const useFleet = async () => {
    while (!done) {
      for (const sendRequest of [read, write]) {
        const answer = await sendWithRetries(sendRequest);
        requests++;
        if (answer.status !== 200) failures.push(`${answer.status} ${answer.text.slice(0, 300)}`);
      }
      await pause(200);
    }
  };
  const usage = useFleet();
  const result = await upgrade().finally(async () => {
    done = true;
    await usage;
  });
  return { result, requests, failures };
}
