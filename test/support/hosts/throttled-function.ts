import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { target } from "../target.ts";

/** The table as one function of a deployed fleet sees it, which refuses calls because of its load. */
export interface ThrottledTable {
  /** Refuses the `nth` call from now on and all after it. Returns a function that ends this and says whether there were so many. */
  throttleFrom(nth: number): () => boolean;
  stop(): Promise<void>;
}

/** Sends the table calls of one function, such as "messages/send-message", through a proxy, which refuses some of them. */
export async function throttledTableOf(functionName: string): Promise<ThrottledTable> {
  let remaining = Number.POSITIVE_INFINITY;
  const server = createServer((incoming, outgoing) => {
    remaining--;
    if (remaining <= 0) refuse(incoming, outgoing);
    else forward(incoming, outgoing);
  });
  // The function must not find its connection closed, which would count as one more call.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { name, variables } = await findFunction(functionName);
  const { port } = server.address() as AddressInfo;
  await setVariables(name, { ...variables, AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` });
  return {
    throttleFrom(nth) {
      remaining = nth;
      return () => {
        const reached = remaining <= 0;
        remaining = Number.POSITIVE_INFINITY;
        return reached;
      };
    },
    async stop() {
      await setVariables(name, variables);
      server.closeAllConnections();
      server.close();
    },
  };
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume();
  outgoing.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
  const __type = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException";
  outgoing.end(JSON.stringify({ __type, message: "Throughput exceeded" }));
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming;
  const forwarded = request(new URL(incoming.url ?? "/", target().url), { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  forwarded.once("error", () => outgoing.destroy());
  incoming.pipe(forwarded);
}

type Variables = Record<string, string>;

interface FunctionList {
  Functions: { FunctionName: string; Description: string; Environment?: { Variables?: Variables } }[];
  NextMarker?: string;
}

/** The name that CloudFormation gave a function such as "messages/send-message", and its environment variables. */
export async function findFunction(description: string): Promise<{ name: string; variables: Variables }> {
  for (let marker = ""; ; ) {
    const { Functions, NextMarker } = await lambda<FunctionList>("GET", `?MaxItems=50${marker && `&Marker=${marker}`}`);
    const found = Functions.find(({ Description }) => Description === description);
    if (found) return { name: found.FunctionName, variables: found.Environment?.Variables ?? {} };
    if (!NextMarker) throw new Error(`The fleet has no function ${description}`);
    marker = encodeURIComponent(NextMarker);
  }
}

const setVariables = (name: string, Variables: Variables) =>
  lambda("PUT", `${name}/configuration`, { Environment: { Variables } });

/** MiniStack identifies the caller by the access key in a request and verifies no signature, so no SDK client is needed. */
async function lambda<T>(method: string, path: string, body?: object): Promise<T> {
  const authorization =
    "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=none";
  const reply = await fetch(new URL(`/2015-03-31/functions/${path}`, target().url), {
    ...{ method, headers: { authorization, "content-type": "application/json" } },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
