import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** An MCP server that runs as a child process, as an assistant's program runs it. */
interface McpServer {
  /** Calls a tool and returns its structured result. */
  use(tool: string, args?: object): Promise<any>;
  close(): Promise<void>;
}

/** Starts an MCP server and initializes a session by its standard input and output. */
export async function startMcpServer(command: string, args: string[], env: Record<string, string>): Promise<McpServer> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  child.stderr.on("data", (chunk: Buffer) => console.log(String(chunk)));
  const waiting = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    if (error) waiting.get(id)?.reject(new Error(JSON.stringify(error)));
    else waiting.get(id)?.resolve(result);
  });
  child.once("close", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The server ended with ${code}`));
  });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let requests = 0;
  const request = (method: string, params: object = {}): Promise<any> =>
    new Promise((resolve, reject) => {
      requests += 1;
      waiting.set(requests, { resolve, reject });
      send({ id: requests, method, params });
    });

  await request("initialize", {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "test", version: "1" },
  });
  send({ method: "notifications/initialized" });
  return {
    use: async (tool, args = {}) => {
      const { structuredContent, content, isError } = await request("tools/call", { name: tool, arguments: args });
      if (isError) throw new Error(`${tool}: ${JSON.stringify(content)}`);
      return structuredContent;
    },
    close: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
