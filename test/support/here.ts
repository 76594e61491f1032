import type { Person } from "./world.ts";

type Handler = (event: any, context: any) => Promise<{ statusCode?: number; body?: string }>;

/** Calls a function in this process as API Gateway does, so that faults of this process reach it. */
export async function callHere(
  handler: Handler,
  { email, apiKey }: Person,
  { path = {}, form = {} }: { path?: Record<string, string>; form?: Record<string, unknown> } = {},
): Promise<{ status: number; body: any }> {
  const fields = Object.entries(form).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const event = {
    version: "2.0",
    rawQueryString: "",
    headers: {
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
      host: "globe.test",
    },
    requestContext: { http: { method: "POST", sourceIp: "127.0.0.1", path: "/" }, requestId: "here", domainName: "" },
    pathParameters: path,
    body: new URLSearchParams(fields).toString(),
    isBase64Encoded: false,
  };
  const { statusCode = 200, body = "{}" } = await handler(event, {});
  return { status: statusCode, body: JSON.parse(body) };
}
