import { Agent, request as httpRequest } from "node:http";
import type { Actor } from "./bench-host.ts";

export interface Answer {
  status: number;
  bytes: Buffer;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends one request, with any method, over the agent's connections. */
export const sendRequest = (
  url: string,
  options: { method: string; headers: Record<string, string>; agent: Agent },
  body?: string,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, bytes: Buffer.concat(chunks), headers: response.headers }),
      );
      response.once("error", reject);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });

/** An API client that reuses connections and does not check replies. */
export class Client {
  readonly #url: string;
  readonly #agent: Agent;
  constructor(url: string, connections: number) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  call(actor: Actor, method: string, path: string, params: Record<string, unknown> = {}): Promise<Answer> {
    const form = new URLSearchParams(
      Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    ).toString();
    const inQuery = method === "GET";
    const headers: Record<string, string> = {
      authorization: `Basic ${Buffer.from(`${actor.email}:${actor.apiKey}`).toString("base64")}`,
      "user-agent": "SkeinBench/1.0",
      ...(!inQuery && {
        "content-type": "application/x-www-form-urlencoded",
        "content-length": String(Buffer.byteLength(form)),
      }),
    };
    const url = `${this.#url}/api/v1${path}${inQuery && form ? `?${form}` : ""}`;
    return sendRequest(url, { method, headers, agent: this.#agent }, inQuery ? undefined : form);
  }

  close(): void {
    this.#agent.destroy();
  }
}
