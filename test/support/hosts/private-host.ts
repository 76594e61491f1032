import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { checkError } from "../checks/error-codes.ts";
import { type CallAs, mustSucceedAs } from "../http.ts";
import { startHostChild } from "./host-child.ts";

/** A host for one test file, for cases that change settings of the whole organization; local only. */
export interface PrivateHost {
  url: string;
  /** The ID of the host's process. */
  pid: number;
  dataFolder: string;
  /** The functions' environment variables. */
  environment: Record<string, string>;
  /** Calls the API as the user with an address, or without credentials. */
  as: CallAs;
  /** Calls the API like `as`, and throws for any status but 200. */
  do: CallAs;
  /** The header by which a user makes requests. */
  credentialsOf(email: string): Promise<string>;
  /** Returns the undecoded body of a reply, and its encoding. */
  raw(
    email: string,
    path: string,
    acceptEncoding?: string,
    method?: string,
  ): Promise<{
    status: number | undefined;
    body: Buffer;
    encoding: string | undefined;
    location: string | undefined;
  }>;
  stop(): Promise<void>;
}

/**
 * Starts a host in a child process with the organization of test/support/organization.json. `env` is added to its
 * environment, logs go to `logFile`, and `nodeArgs` are passed to Node.
 */
export async function aPrivateHost(
  env: Record<string, string> = {},
  logFile?: string,
  nodeArgs: readonly string[] = [],
): Promise<PrivateHost> {
  const dataFolder = mkdtempSync(join(tmpdir(), "skein-private-"));
  const { url, environment, pid, end } = await startHostChild(dataFolder, { env, logFile, nodeArgs });
  const keys = new Map<string, string>();
  const send = async (method: string, path: string, params: Record<string, unknown>, authorization?: string) => {
    const form = new URLSearchParams(
      Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    );
    const inQuery = method === "GET";
    const response = await fetch(`${url}/api/v1${path}${inQuery ? `?${form}` : ""}`, {
      method,
      headers: authorization ? { authorization } : {},
      ...(!inQuery && { body: form }),
    });
    const reply = (await response.json()) as Record<string, unknown>;
    await checkError(method, `/api/v1${path}`, response.status, reply);
    return { status: response.status, ...reply };
  };
  const keyOf = async (email: string) => {
    const key = keys.get(email) ?? ((await send("POST", "/dev_fetch_api_key", { username: email })) as any).api_key;
    keys.set(email, key);
    return key;
  };
  const basic = async (email: string) => `Basic ${Buffer.from(`${email}:${await keyOf(email)}`).toString("base64")}`;
  const as: CallAs = async (email, method, path, params = {}) =>
    send(method, path, params, email && (await basic(email)));
  return {
    url,
    pid,
    dataFolder,
    environment,
    as,
    do: mustSucceedAs(as),
    credentialsOf: basic,
    raw: async (email, path, acceptEncoding, method = "GET") => {
      const headers = {
        authorization: await basic(email),
        ...(acceptEncoding !== undefined && { "accept-encoding": acceptEncoding }),
      };
      const outgoing = request(`${url}/api/v1${path}`, { method, headers }).end();
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      const { statusCode: status, headers: responseHeaders } = response;
      const { "content-encoding": encoding, location } = responseHeaders;
      return { status, body: await buffer(response), encoding, location };
    },
    stop: async () => {
      await end();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}
