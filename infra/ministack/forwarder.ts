import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { isServedHost } from "../local/host-names.ts";

/** The API that a forwarder's requests go to. */
export interface ForwardedApi {
  /** The emulator's address. */
  url: string;
  /** The name of the API in the emulator, with its port. */
  host: string;
}

/**
 * Serves an API of an emulator at a port of 127.0.0.1. An emulator selects the API by the `Host` header, and not every system
 * and client resolves the name in it. `findApi` returns undefined as long as the API does not exist.
 */
export function startForwarder(port: number, findApi: () => ForwardedApi | undefined): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    // Protects against DNS rebinding, as `npm start` does.
    if (!isServedHost(incoming.headers.host, [])) return answerError(outgoing, 421, "Misdirected request");
    const api = findApi();
    if (!api) return answerError(outgoing, 503, "The fleet is not deployed yet");
    forward(incoming, outgoing, api);
  });
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, "127.0.0.1", () => done(server));
  });
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, { url, host }: ForwardedApi): void {
  const { method, headers } = incoming;
  const forwarded = request(new URL(incoming.url ?? "/", url), { method, headers: { ...headers, host } }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
    reply.once("error", () => outgoing.destroy());
  });
  forwarded.once("error", () => {
    if (outgoing.headersSent) outgoing.destroy();
    else answerError(outgoing, 502, "The emulator does not answer");
  });
  // A client that leaves frees the function that holds its poll.
  outgoing.once("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

function answerError(response: ServerResponse, status: number, msg: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ result: "error", msg, code: "BAD_REQUEST" }));
}
