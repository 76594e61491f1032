import { createServer, request } from "node:http";
import { target } from "../target.ts";

/**
 * Returns a URL at which ordinary clients reach the host under test. MiniStack's gateway selects the API by a `Host` header
 * that clients cannot send; for MiniStack, this starts a proxy that sets the header.
 */
export async function exposeHost(): Promise<{ url: string; close(): void }> {
  const { url, hostHeader } = target();
  if (!hostHeader) return { url, close: () => {} };
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, host: hostHeader };
    const forwardedRequest = request(
      new URL(incoming.url ?? "/", url),
      { method: incoming.method, headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      },
    );
    forwardedRequest.once("error", () => outgoing.destroy());
    incoming.pipe(forwardedRequest);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}
