import type { MiniStack } from "../../infra/ministack/ministack.ts";

interface LogGroups {
  logGroups: { logGroupName: string }[];
}
interface LogEvents {
  events: { message: string; timestamp: number }[];
}

/** The last errors that functions logged, oldest first. A failed test needs them, because replies contain no detail. */
export async function functionErrors({ url }: MiniStack, maxErrors = 15): Promise<string[]> {
  const { logGroups } = await logs<LogGroups>(url, "DescribeLogGroups", {});
  const perGroup = await Promise.all(
    logGroups.map(async ({ logGroupName }) => {
      const { events } = await logs<LogEvents>(url, "FilterLogEvents", { logGroupName });
      return events.filter(({ message }) => /"error":|Error\b/.test(message));
    }),
  );
  return perGroup
    .flat()
    .sort((a, b) => a.timestamp - b.timestamp)
    .slice(-maxErrors)
    .map(({ message }) => message.trim().slice(0, 1500));
}

/** MiniStack identifies the caller by the access key in a request and verifies no signature, so no SDK client is needed. */
async function logs<T>(url: string, action: string, input: object): Promise<T> {
  const credential = "test/20260101/us-east-1/logs/aws4_request";
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`,
    "x-amz-target": `Logs_20140328.${action}`,
    "content-type": "application/x-amz-json-1.1",
  };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(input) });
  if (!reply.ok) throw new Error(`${action}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
