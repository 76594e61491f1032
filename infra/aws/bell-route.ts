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
import { bellRoutes, bellSubtype } from "../waiting.ts";

/** The routes that API Gateway connects to SQS itself. They ask for no credentials: who knows a bell's name may wait at it. */
export class BellRoutes extends Construct {
  constructor(scope: Construct, api: HttpApi, bells: { url: string; arn: string }) {
    super(scope, "Bell");
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
      inlinePolicies: {
        receive: new PolicyDocument({
          statements: [new PolicyStatement({ actions: ["sqs:ReceiveMessage"], resources: [bells.arn] })],
        }),
      },
    });
    for (const [index, { method, path, request, responses }] of bellRoutes.entries()) {
      const integration = new CfnIntegration(this, `Integration${index + 1}`, {
        apiId: api.apiId,
        integrationType: "AWS_PROXY",
        integrationSubtype: bellSubtype,
        payloadFormatVersion: "1.0",
        credentialsArn: role.roleArn,
        // The most that API Gateway allows; SQS answers after 20 s.
        timeoutInMillis: 30_000,
        requestParameters: request(bells.url),
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

/** The route of `GET /events` to the host that serves it. */
export class EventsHostRoute extends Construct {
  constructor(scope: Construct, id: string, api: HttpApi, eventsHost: string) {
    super(scope, id);
    new HttpRoute(this, "Route", {
      httpApi: api,
      routeKey: HttpRouteKey.with(eventsPath, HttpMethod.GET),
      integration: new HttpUrlIntegration("Integration", `${eventsHost}${eventsPath}`),
    });
  }
}
