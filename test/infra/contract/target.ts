import { GetObjectCommand, type PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { test } from "vitest";
import type { AwsServices } from "../../../shared/base/aws-calls.ts";

/** What answers in place of AWS where a contract's cases run; it is reached by the SDK's clients. */
export interface ContractTarget {
  endpoint: () => string;
  /** Answers in this process instead of at the endpoint, where only links to files lead. */
  services?: () => AwsServices;
  credentials: { accessKeyId: string; secretAccessKey: string };
  region: string;
  /** Names of cases that this target cannot pass, each with the reason. */
  skip?: Record<string, string>;
  /** The maximum delay of a schedule in this emulator, in milliseconds. */
  scheduleLatenessMs?: number;
}

/** The settings of an SDK client for this target. */
export const clientFor = ({ endpoint, credentials, region }: ContractTarget) => ({
  endpoint: endpoint(),
  credentials,
  region,
  maxAttempts: 1,
});

/** Lets this target answer the client's calls. */
export function answeredBy<C extends { middlewareStack: { add(middleware: any, options: any): void } }>(
  { services }: ContractTarget,
  client: C,
): C {
  const middleware = (next: any, context: any) => (args: any) =>
    services?.()({ client: context.clientName, command: context.commandName, input: args.input }) ?? next(args);
  client.middlewareStack.add(middleware, { step: "initialize" });
  return client;
}

/** A link by which anyone can make the call for `seconds`, from `ageSeconds` ago. */
export async function linkTo(
  { services }: ContractTarget,
  s3: S3Client,
  command: GetObjectCommand | PutObjectCommand,
  seconds: number,
  ageSeconds = 0,
): Promise<string> {
  const signingDate = new Date(Date.now() - ageSeconds * 1000);
  if (!services) return getSignedUrl(s3, command, { expiresIn: seconds, signingDate });
  const name = command instanceof GetObjectCommand ? "GetObjectCommand" : "PutObjectCommand";
  const call = { client: "S3Client", command: name, input: { ...command.input }, linkSeconds: seconds - ageSeconds };
  return (await services()(call))?.output.link;
}

/** The names of all cases that contracts have declared. */
export const caseNames = new Set<string>();

/** Like `test`, but a case in the target's skip list is skipped with its reason. */
export const caseFor =
  (target: ContractTarget) =>
  (name: string, run: () => Promise<void>, timeoutMs = 30_000) => {
    caseNames.add(name);
    const reason = target.skip?.[name];
    test(name, { timeout: timeoutMs }, async (context) => {
      if (reason) context.skip(reason);
      await run();
    });
  };

/** A unique name, so that targets can be shared and reused. */
export const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`;
