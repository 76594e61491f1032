import {
  CfnIntegration,
  CfnRoute,
  type HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpUrlIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { apiPrefix } from "../fleet.ts";
import { receiveMessageSubtype, wakeUpRoutes } from "../waiting.ts";

/** The routes that API Gateway integrates with SQS. They need no credentials: a queue's name is an unguessable secret. */
export class WakeUpRoutes extends Construct {
  constructor(scope: Construct, api: HttpApi, queues: { url: string; arn: string }) {
    super(scope, "WakeUp");
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
      inlinePolicies: {
        receive: new PolicyDocument({
          statements: [new PolicyStatement({ actions: ["sqs:ReceiveMessage"], resources: [queues.arn] })],
        }),
      },
    });
    for (const [index, { method, path, request, responses }] of wakeUpRoutes.entries()) {
      const integration = new CfnIntegration(this, `Integration${index + 1}`, {
        apiId: api.apiId,
        integrationType: "AWS_PROXY",
        integrationSubtype: receiveMessageSubtype,
        payloadFormatVersion: "1.0",
        credentialsArn: role.roleArn,
        // API Gateway's maximum; SQS answers after at most 20 s.
        timeoutInMillis: 30_000,
        requestParameters: request(queues.url),
        responseParameters: Object.fromEntries(
          Object.entries(responses).map(([status, changes]) => [
            status,
            {
              ResponseParameters: Object.entries(changes).map(([Destination, Source]) => ({ Destination, Source })),
            },
          ]),
        ),
      });
      new CfnRoute(this, `Route${index + 1}`, {
        apiId: api.apiId,
        routeKey: `${method} ${path}`,
        target: `integrations/${integration.ref}`,
      });
    }
  }
}

export const eventsPath = `${apiPrefix}/events`;

/** Routes `GET /events` to the host that serves it. */
export class EventsHostRoute extends Construct {
  readonly route: HttpRoute;

  constructor(scope: Construct, id: string, api: HttpApi, eventsHostUrl: string) {
    super(scope, id);
    this.route = new HttpRoute(this, "Route", {
      httpApi: api,
      routeKey: HttpRouteKey.with(eventsPath, HttpMethod.GET),
      integration: new HttpUrlIntegration("Integration", `${eventsHostUrl}${eventsPath}`),
    });
  }
}
