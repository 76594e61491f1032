import type { IncomingMessage } from "node:http";
import { type Claim, claimOf } from "./signature.ts";

export type ServiceName = "sqs" | "scheduler" | "s3" | "secretsmanager" | "ses" | "dynamodb";

const byTarget: Record<string, ServiceName> = { AmazonSQS: "sqs", secretsmanager: "secretsmanager" };
const byScope: Record<string, ServiceName> = {
  sqs: "sqs",
  scheduler: "scheduler",
  s3: "s3",
  secretsmanager: "secretsmanager",
  ses: "ses",
  dynamodb: "dynamodb",
};

/** What a request is for: the path, the decoded query, who signed it, and the service that it is meant for. */
export interface Address {
  path: string;
  query: Map<string, string>;
  claim: Claim | undefined;
  service: ServiceName | undefined;
}

/** Recognises the service from the operation's header or else from what the signature covers; throws URIError on a bad query. */
export function addressOf({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): Address {
  const [path = "/", search = ""] = url.split(/\?(.*)/s);
  const query = new Map(
    search
      .split("&")
      .filter(Boolean)
      .map((pair): [string, string] => {
        const [name = "", value = ""] = pair.split(/=(.*)/s);
        return [decodeURIComponent(name), decodeURIComponent(value)];
      }),
  );
  const claim = claimOf({ query, headers });
  const target = String(headers["x-amz-target"] ?? "").split(".")[0] ?? "";
  return { path, query, claim, service: byTarget[target] ?? byScope[claim?.service ?? ""] };
}
