import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../infra/local/engine.ts";

/**
 * Runs the embedded engine behind a proxy that delays its replies: `slow-engine.ts <delay in ms> <engine> <its arguments>`. It
 * listens where the engine was to listen. Hosts start their engine from the path in SKEIN_DYNOXIDE, in every version, so
 * that the delay affects each table call whatever client the host makes it with.
 */

async function run([delay, engine = "", ...args]: string[]): Promise<void> {
  const [host, port] = [optionOf(args, "--host") ?? "127.0.0.1", Number(optionOf(args, "--port"))];
  const target = { host, port: await freePort(host) };
  const ownArgs = args.map((arg, index) => (args[index - 1] === "--port" ? String(target.port) : arg));
  const child = spawn(engine, ownArgs, { stdio: "inherit" });
  child.once("exit", (code) => process.exit(code ?? 1));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  // Hosts take a port that accepts connections for an engine that has started.
  await untilReachable(target);
  delayingProxy(target, Number(delay)).listen(port, host);
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

interface Address {
  host: string;
  port: number;
}

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

async function untilReachable({ host, port }: Address): Promise<void> {
  for (;;) {
    const isReachable = await new Promise<boolean>((resolve) => {
      const probe = connect(port, host, () => resolve(true));
      probe.once("error", () => resolve(false));
      probe.once("connect", () => probe.destroy());
    });
    if (isReachable) return;
    await pause(5);
  }
}

/** Writes a program into `folder` that starts a checkout's engine with delayed replies, and returns its path. */
export function delayedEngine(folder: string, checkout: string, delayMs: number): string {
  const engine =
    process.env.SKEIN_DYNOXIDE || join(checkout, `node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  const program = join(folder, "slow-engine.sh");
  const words = [process.execPath, "--disable-warning=ExperimentalWarning", import.meta.filename, delayMs, engine];
  writeFileSync(program, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`, { mode: 0o755 });
  return program;
}

// After all declarations, which `run` needs.
if (import.meta.main) await run(process.argv.slice(2));
