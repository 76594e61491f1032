import { connect, createServer, type Server } from "node:net";
import { type Address, engineCommand, enginePath, runBehindProxy } from "../../test/support/table/engine-proxy.ts";

/** Runs the embedded engine behind a proxy that delays its replies: `slow-engine.ts <delay in ms> <engine> <its arguments>`. */

/** Forwards connections, and passes on each piece of a reply after `delayMs`. */
export const delayingProxy = (target: Address, delayMs: number): Server =>
  createServer({ noDelay: true }, (client) => {
    const upstream = connect({ ...target, noDelay: true });
    client.pipe(upstream);
    // Timers of the same length fire in the order in which they were set, so the pieces stay in order.
    upstream.on("data", (piece: Buffer) => setTimeout(() => client.write(piece), delayMs));
    upstream.once("end", () => setTimeout(() => client.end(), delayMs));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      socket.once("error", () => other.destroy());
  });

/** Writes a program into `folder` that starts a checkout's engine with delayed replies, and returns its path. */
export const delayedEngine = (folder: string, checkout: string, delayMs: number): string =>
  engineCommand(folder, import.meta.filename, [delayMs], enginePath(checkout));

// After all declarations, which the proxy needs.
if (import.meta.main) {
  const [delayMs, ...engine] = process.argv.slice(2);
  await runBehindProxy(engine, (target) => delayingProxy(target, Number(delayMs)));
}
