import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { deserialize, serialize } from "node:v8";
import { AwsError } from "../../../infra/local/aws/error.ts";
import { disconnectSignal } from "../../../infra/local/disconnect-signal.ts";
import type { AwsCall, AwsServices } from "../../../shared/base/aws-calls.ts";

/** Lets tests and functions in other processes make the calls that a host answers in place of AWS. */

/** The variable with the address of a host's services. */
export const awsCallsVariable = "SKEIN_AWS_CALLS";

interface Reply {
  output?: Record<string, any>;
  error?: { name: string; message: string; status: number };
}

/** Serves these services to other processes; returns the address. */
export async function serveAwsCalls(services: AwsServices): Promise<string> {
  const server = createServer(async (request, response) => {
    const disconnected = disconnectSignal(response);
    const call: AwsCall = deserialize(await buffer(request));
    const reply = await replyTo(services, { ...call, disconnected });
    response.end(serialize(reply));
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function replyTo(services: AwsServices, call: AwsCall): Promise<Reply> {
  try {
    return { output: (await services(call))?.output ?? {} };
  } catch (error) {
    const { name, message, $metadata } = error as AwsError;
    return { error: { name, message, status: $metadata?.httpStatusCode ?? 500 } };
  }
}

/** The services of a host in another process. */
export const awsServicesAt =
  (url: string): ((call: AwsCall) => Promise<{ output: Record<string, any> }>) =>
  async ({ disconnected, ...call }) => {
    const response = await fetch(url, { method: "POST", body: serialize(call), signal: disconnected ?? null });
    const { output = {}, error }: Reply = deserialize(Buffer.from(await response.arrayBuffer()));
    if (error) throw new AwsError(error.name, error.message, error.status);
    const { Body: bytes } = output;
    return { output: bytes ? { ...output, Body: { transformToByteArray: async () => bytes } } : output };
  };

/** Makes a call of the host with this environment; returns its output. */
export async function callAws(
  environment: Record<string, string | undefined>,
  client: string,
  command: string,
  input: Record<string, unknown>,
  disconnected?: AbortSignal,
): Promise<Record<string, any>> {
  const call = { client, command, input, ...(disconnected && { disconnected }) };
  return (await awsServicesAt(environment[awsCallsVariable] as string)(call)).output;
}
