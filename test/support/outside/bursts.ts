import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** A call of the API. `fileBytes`: the length of a file that is sent with it. */
export interface Call {
  method: string;
  path: string;
  params?: Record<string, unknown>;
  fileBytes?: number;
}

/** What `burst-child.ts` can do; its file says what comes of each. */
export type Burst =
  | { kind: "frames"; url: string; text: string; count: number }
  | { kind: "connections"; urls: string[] }
  | { kind: "requests"; url: string; authorization: string; count: number; form?: string }
  | { kind: "calls"; url: string; authorization: string; calls: Call[] }
  | { kind: "idle"; url: string; count: number; localAddress: string };

/** Makes a burst from another process, whose connections stay open until the test ends; returns what came of it. */
export async function burstFromChild(burst: Burst): Promise<number[]> {
  const child = spawn(process.execPath, [`${import.meta.dirname}/burst-child.ts`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.write(`${JSON.stringify(burst)}\n`);
  onTestFinished(() => void child.stdin.end());
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => resolve(JSON.parse(line) as number[]));
    child.once("error", reject).once("exit", (code) => reject(new Error(`The burst ended with ${code}`)));
  });
}
