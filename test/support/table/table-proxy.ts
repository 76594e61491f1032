import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A call of this process to the table, as the proxy receives it. */
export interface TableCall {
  /** The operation's name, such as "TransactWriteItems". */
  operation: string;
  body: string;
}

/** Sends a call on to the table; resolves when the table has replied. */
type Forward = () => Promise<TableReply>;
interface TableReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Puts a server between this process and the table, which passes each call to `handle`. It returns the reply, or nothing for a call
 * that is never answered; it may forward the call at any time, also after the caller has given up. To be started before this
 * process calls the table.
 */
export async function startTableProxy(
  handle: (call: TableCall, forward: Forward) => Promise<TableReply | undefined>,
): Promise<{ stop(): void }> {
  const { AWS_ENDPOINT_URL_DYNAMODB: url = "" } = process.env;
  const server = createServer(async (call, reply) => {
    const content = await buffer(call);
    const forward: Forward = () => send(url, call.headers, content);
    const operation = String(call.headers["x-amz-target"]).replace(/.*\./, "");
    const result = await handle({ operation, body: content.toString() }, forward);
    if (result) reply.writeHead(result.status, result.headers).end(result.body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    stop: () => {
      process.env.AWS_ENDPOINT_URL_DYNAMODB = url;
      server.closeAllConnections();
      server.close();
    },
  };
}

const send = (url: string, headers: IncomingHttpHeaders, content: Buffer): Promise<TableReply> =>
  new Promise((resolve, reject) => {
    request(url, { method: "POST", headers, agent: false }, async (response) => {
      const body = await buffer(response);
      resolve({ status: response.statusCode ?? 500, headers: response.headers, body });
    })
      .once("error", reject)
      .end(content);
  });
