import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { afterAll } from "vitest";

interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  /** All requests in the order of their arrival. */
  requests: ReceivedRequest[];
}

/**
 * Starts an HTTP server that answers by `answer`, until the test file has finished. `count` is the number of requests so far,
 * this one included.
 */
export async function aReceiver(
  answer: (request: ReceivedRequest, response: ServerResponse, count: number) => void,
  { host, port }: { host: string; port: number } = { host: "127.0.0.1", port: 0 },
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url = "", headers } = incoming;
    const request = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8") };
    requests.push(request);
    answer(request, response, requests.length);
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(port, host, done));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://${host}:${(server.address() as { port: number }).port}`, requests };
}

/** A receiver that answers every request with the same JSON. */
export const aReceiverOf = (answer: unknown) => aReceiver((_, response) => response.end(JSON.stringify(answer)));
