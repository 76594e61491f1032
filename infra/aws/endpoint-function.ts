import { CfnRoute, type HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Construct } from "constructs";
import type { Route } from "../../shared/http/fallback.ts";
import { type EndpointMember, type FallbackMember, pathOf } from "../fleet.ts";
import { type Alarms, heldPollsAlarm } from "./alarms.ts";
import { canaryAlias, hasCanary } from "./canary.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb"> & {
  member: EndpointMember | FallbackMember;
  api: HttpApi;
  alarms: Alarms;
  /** The routes that lead to the function in addition to its own. */
  otherRoutes: readonly Route[];
};

/** One endpoint on AWS: its function, log group, role and routes. All of it follows from the declaration. */
export class EndpointFunction extends Construct {
  readonly routes: Construct[];

  constructor(scope: Construct, { api, alarms, otherRoutes, ...props }: Props) {
    super(scope, props.member.name);
    // API Gateway times out after 30 seconds; running longer would only cost money.
    const fn = fleetFunction(this, { ...props, timeoutSeconds: 29 });
    const { member, settings } = props;
    if (settings.waiting === "wake-up-queue" && member.kind === "endpoint" && member.spec.longPoll)
      alarms.add(this, "Held-polls", heldPollsAlarm(fn));
    const target = settings.canaries && hasCanary(member) ? canaryAlias(this, fn, api.apiId) : fn;
    const route = new HttpRoute(this, "Route", {
      httpApi: api,
      routeKey: routeKeyOf(member),
      integration: new HttpLambdaIntegration("Integration", target),
    });
    const integration = (route.node.defaultChild as CfnRoute).target;
    const others = otherRoutes.map(
      ({ method, path }) =>
        new CfnRoute(this, `Route ${method} ${path.replaceAll("/", " ")}`, {
          apiId: api.apiId,
          routeKey: `${method} ${path}`,
          ...(integration !== undefined && { target: integration }),
        }),
    );
    this.routes = [route, ...others];
  }
}

const routeKeyOf = (member: EndpointMember | FallbackMember) =>
  member.kind === "fallback"
    ? HttpRouteKey.DEFAULT
    : HttpRouteKey.with(pathOf(member.spec), HttpMethod[member.spec.method]);
