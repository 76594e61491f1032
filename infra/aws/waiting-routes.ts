import { apiPrefix, type FleetMember, pathOf } from "../fleet.ts";
import { receiveMessageSubtype, wakeUpRoutes } from "../waiting.ts";
import type { IntegratedRoute, Integration } from "./api-definition.ts";

/**
 * The routes that API Gateway integrates with SQS. They need no credentials: a queue's name is an unguessable secret. API Gateway
 * waits for 30 s, its default, and SQS answers after at most 20.
 */
export const wakeUpIntegrations = (queuesUrl: string, roleArn: string): IntegratedRoute[] =>
  wakeUpRoutes.map(({ method, path, request, responses }) => ({
    method,
    path,
    integration: {
      type: "aws_proxy",
      integrationSubtype: receiveMessageSubtype,
      payloadFormatVersion: "1.0",
      credentials: roleArn,
      requestParameters: request(queuesUrl),
      responseParameters: responses,
    },
  }));

const eventsPath = `${apiPrefix}/events`;

export const isEventsPoll = (member: FleetMember): boolean =>
  member.kind === "endpoint" && member.spec.method === "GET" && pathOf(member.spec) === eventsPath;

/** Sends `GET /events` to the host that serves it. */
export const eventsHostIntegration = (eventsHostUrl: string): Integration => ({
  type: "http_proxy",
  httpMethod: "ANY",
  payloadFormatVersion: "1.0",
  uri: `${eventsHostUrl}${eventsPath}`,
});
