import type { JsonSchema } from "../../shared/base/schema/json-schema.ts";

/**
 * Descriptions of the errors that the gateway itself returns, by status. The gateway is API Gateway on AWS, and
 * infra/local/gateway.ts on one machine, which does not throttle.
 */
export const gatewayErrors: Readonly<Record<number, string>> = {
  413: "The body is larger than 10 MB.",
  429: "More requests arrive at once than the operator's limit allows.",
  431: "The URL and the headers are larger than 10 KB.",
  500: "The function ended without a reply, or its reply is larger than 6 MB.",
  503: "The function did not answer within 30 seconds, or there is no capacity to run it.",
};

export const gatewaySchemas: JsonSchema = {
  GatewayMessage: { type: "object", required: ["message"], properties: { message: { type: "string" } } },
};

const componentName = (status: number) => `Gateway${status}`;
const statuses = Object.keys(gatewayErrors).map(Number);

/** The gateway's errors as reusable OpenAPI responses, which the operations reference. */
export const gatewayResponses: JsonSchema = Object.fromEntries(
  statuses.map((status) => [
    componentName(status),
    {
      description: `From the gateway: ${gatewayErrors[status]}`,
      content: { "application/json": { schema: { $ref: "#/components/schemas/GatewayMessage" } } },
    },
  ]),
);

/** References to `gatewayResponses`, which every operation has in addition to the responses of its function. */
export const gatewayReferences: JsonSchema = Object.fromEntries(
  statuses.map((status) => [status, { $ref: `#/components/responses/${componentName(status)}` }]),
);
