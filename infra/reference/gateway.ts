import type { JsonSchema } from "./schemas.ts";

/**
 * The errors that the gateway itself answers, by status: API Gateway on AWS, infra/local/gateway.ts on one machine, which
 * does not throttle.
 */
export const gatewayAnswers: Readonly<Record<number, string>> = {
  413: "The body has more than 10 MB.",
  429: "More requests come at once than the operator lets through.",
  431: "Address and headers have more than 10 KB.",
  500: "The function ended without a reply, or its reply has more than 6 MB.",
  503: "The function did not answer within 30 seconds, or there is no room to run it.",
};

export const gatewaySchemas: JsonSchema = {
  GatewayMessage: { type: "object", required: ["message"], properties: { message: { type: "string" } } },
};

const nameOf = (status: number) => `Gateway${status}`;
const statuses = Object.keys(gatewayAnswers).map(Number);

/** These answers as components, which operations refer to. */
export const gatewayResponses: JsonSchema = Object.fromEntries(
  statuses.map((status) => [
    nameOf(status),
    {
      description: `From the gateway: ${gatewayAnswers[status]}`,
      content: { "application/json": { schema: { $ref: "#/components/schemas/GatewayMessage" } } },
    },
  ]),
);

/** References for each operation, in addition to the answers of its function. */
export const gatewayReferences: JsonSchema = Object.fromEntries(
  statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
);
