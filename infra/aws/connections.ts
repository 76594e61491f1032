import type { Stack } from "aws-cdk-lib";
import { type WebSocketApi as Api, WebSocketApi, WebSocketRoute, WebSocketStage } from "aws-cdk-lib/aws-apigatewayv2";
import { WebSocketLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Construct, type IDependable } from "constructs";
import type { ConnectionMember } from "../fleet.ts";
import { emulatorUrl } from "../ministack/emulator-url.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";
import { memberId } from "./identity.ts";
import type { DeploySettings } from "./settings.ts";

/** The name of the stage, which is a part of the API's address. */
const stageName = "live";

export interface ConnectionsApi {
  api: Api;
  stage: WebSocketStage;
  /** The address to which clients connect. */
  url: string;
  /** The ARNs of posting to all of its connections, and of ending them. */
  arns: string[];
}

/** The methods of posting to a connection, and of ending it. */
const managementMethods = ["POST", "DELETE"];

/** What follows the API's ID in the ARN of a method for all connections. */
const connectionsResource = (method: string) => `${stageName}/${method}/@connections/*`;

/** The WebSocket API with its one stage, at whose connections clients receive events. */
export function connectionsApi(scope: Stack, settings: DeploySettings): ConnectionsApi {
  const api = new WebSocketApi(scope, "Connections", {
    apiName: `${settings.name}-connections`,
    // No message has a route of its own.
    routeSelectionExpression: "$request.body.type",
  });
  const stage = new WebSocketStage(scope, "Connections-stage", {
    webSocketApi: api,
    stageName,
    autoDeploy: true,
    throttle: { rateLimit: settings.throttle.requestsPerSecond, burstLimit: settings.throttle.burst },
  });
  return {
    api,
    stage,
    url: addressOf(scope, api),
    arns: managementMethods.map((method) =>
      scope.formatArn({ service: "execute-api", resource: api.apiId, resourceName: connectionsResource(method) }),
    ),
  };
}

/** An emulator serves its APIs below its own address, so that no client must resolve their names. */
function addressOf(scope: Stack, api: Api): string {
  const emulator = emulatorUrl();
  return emulator
    ? `${emulator.replace(/^http/, "ws").replace(/\/$/, "")}/_aws/execute-api/${api.apiId}/${stageName}`
    : `wss://${api.apiId}.execute-api.${scope.region}.${scope.urlSuffix}/${stageName}`;
}

/** One route of the WebSocket API on AWS: its function. All of it follows from the declaration. */
export class ConnectionFunction extends Construct {
  readonly route: WebSocketRoute;

  constructor(
    scope: Stack,
    {
      api,
      ...props
    }: Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb"> & { member: ConnectionMember; api: Api },
  ) {
    super(scope, memberId(props.member));
    // API Gateway times out after 29 seconds.
    const fn = fleetFunction(this, { ...props, timeoutSeconds: 29 });
    this.route = new WebSocketRoute(this, "Route", {
      webSocketApi: api,
      routeKey: props.member.spec.route,
      integration: new WebSocketLambdaIntegration("Integration", fn),
    });
  }
}

/** Lets routes be created one after another, and the stage last: API Gateway refuses concurrent changes of one API. */
export function createInOrder({ stage }: ConnectionsApi, functions: readonly ConnectionFunction[]): void {
  const routes = functions.map(({ route }) => route);
  for (const [index, { node }] of [...routes, stage].entries()) {
    const previous: IDependable | undefined = routes[index - 1];
    if (previous) node.addDependency(previous);
  }
}
