import type { IncomingMessage } from "node:http";
import { parseSignature, type RequestSignature } from "./signature.ts";

export type ServiceName = "sqs" | "scheduler" | "s3" | "secretsmanager" | "ses" | "dynamodb";

const serviceByTarget: Record<string, ServiceName> = { AmazonSQS: "sqs", secretsmanager: "secretsmanager" };
const serviceByScope: Record<string, ServiceName> = {
  sqs: "sqs",
  scheduler: "scheduler",
  s3: "s3",
  secretsmanager: "secretsmanager",
  ses: "ses",
  dynamodb: "dynamodb",
};

/** A request's path, decoded query, signature and service. */
export interface ParsedRequest {
  path: string;
  query: Map<string, string>;
  signed: RequestSignature | undefined;
  service: ServiceName | undefined;
}

/** Takes the service from the X-Amz-Target header, else from the signature's scope; throws URIError on a bad query. */
export function parseRequest({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): ParsedRequest {
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
  const signed = parseSignature({ query, headers });
  const target = String(headers["x-amz-target"] ?? "").split(".")[0] ?? "";
  return { path, query, signed, service: serviceByTarget[target] ?? serviceByScope[signed?.service ?? ""] };
}
