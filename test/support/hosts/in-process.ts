import { multipart, type Part } from "../files.ts";
import type { Person } from "../world.ts";

type Handler = (
  event: any,
  context: any,
) => Promise<{
  statusCode?: number | undefined;
  body?: string | undefined;
  headers?: Record<string, boolean | number | string> | undefined;
}>;

interface CallInput {
  path?: Record<string, string>;
  form?: Record<string, unknown>;
  /** Sent instead of the form, as multipart/form-data. */
  parts?: readonly Part[];
  /** The time that Lambda says is left for the function. */
  remainingMs?: number;
}

/** Calls a function in this process as API Gateway does, so that injected faults of this process affect it. */
export async function callInProcess(
  handler: Handler,
  { email, apiKey }: Person,
  { path = {}, form = {}, parts, remainingMs }: CallInput = {},
): Promise<{ status: number; body: any; headers: Record<string, unknown> }> {
  const fields = Object.entries(form).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const upload = parts && multipart(parts);
  const event = {
    version: "2.0",
    rawQueryString: "",
    headers: {
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      ...upload?.headers,
      host: "globe.test",
    },
    requestContext: { http: { method: "POST", sourceIp: "127.0.0.1", path: "/" }, requestId: "here", domainName: "" },
    pathParameters: path,
    body: upload ? (upload.body as Buffer).toString("base64") : new URLSearchParams(fields).toString(),
    isBase64Encoded: upload !== undefined,
  };
  const context = remainingMs === undefined ? {} : { getRemainingTimeInMillis: () => remainingMs };
  const { statusCode = 200, body = "{}", headers = {} } = await handler(event, context);
  return { status: statusCode, body: JSON.parse(body), headers };
}
