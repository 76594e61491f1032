import { type ChildProcess, spawn } from "node:child_process";
import { withProcessTable } from "../table/process-table.ts";
import { target } from "../target.ts";
import { bareEnvironment } from "./processes.ts";

/** A process of `npm run serve` with the table of the fleet under test. */
interface Serving {
  child: ChildProcess;
  url: string;
}

export async function startServing(settings: Record<string, string> = {}): Promise<Serving> {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", ...withProcessTable, "infra/serve.ts"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...bareEnvironment, ...target().environment, PORT: "0", ...settings },
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      if (output.length > 10_000) return;
      output += chunk;
      const [, address] = /at (http:\/\/\S+)\n/.exec(output) ?? [];
      if (address) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`The host ended with code ${code}`)));
  });
  return { child, url };
}
