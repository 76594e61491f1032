import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../infra/local/engine.ts";

/**
 * Programs that run the embedded engine behind a proxy, which listens where the engine was to listen. Hosts start their engine
 * from the path in SKEIN_DYNOXIDE, in every version, so that the proxy affects each table call whatever client makes it.
 */

export interface Address {
  host: string;
  port: number;
}

/** The path of a checkout's engine. */
export const enginePath = (checkout = process.cwd()): string =>
  process.env.SKEIN_DYNOXIDE || join(checkout, `node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`);

/** Runs `engine` with its arguments, and the proxy in front of it. */
export async function runBehindProxy(
  [engine = "", ...args]: readonly string[],
  createProxy: (target: Address) => Server,
): Promise<void> {
  const [host, port] = [optionOf(args, "--host") ?? "127.0.0.1", Number(optionOf(args, "--port"))];
  const target = { host, port: await freePort(host) };
  const ownArgs = args.map((arg, index) => (args[index - 1] === "--port" ? String(target.port) : arg));
  const child = spawn(engine, ownArgs, { stdio: "inherit" });
  child.once("exit", (code) => process.exit(code ?? 1));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  // Hosts take a port that accepts connections for an engine that has started.
  await untilReachable(target);
  createProxy(target).listen(port, host);
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args[index + 1];
}

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

/** Writes a command into `folder` that runs `program` with `options` before the engine's own path and arguments. */
export function engineCommand(folder: string, program: string, options: readonly (string | number)[], engine: string) {
  const command = join(folder, "engine.sh");
  const words = [process.execPath, "--disable-warning=ExperimentalWarning", program, ...options, engine];
  writeFileSync(command, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`, { mode: 0o755 });
  return command;
}
