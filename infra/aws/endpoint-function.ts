import { CfnRoute, type HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Construct } from "constructs";
import type { Route } from "../../shared/http/fallback.ts";
import { type EndpointMember, type FallbackMember, pathOf } from "../fleet.ts";
import { type Alarms, heldPollsAlarm } from "./alarms.ts";
import { canaryAlias, hasCanary } from "./canary.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";
import { memberId, routeId } from "./identity.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb"> & {
  member: EndpointMember | FallbackMember;
  api: HttpApi;
  alarms: Alarms;
};

/** One endpoint on AWS: its function, role and route. All of it follows from the declaration. */
export class EndpointFunction extends Construct {
  readonly route: HttpRoute;

  constructor(scope: Construct, { api, alarms, ...props }: Props) {
    super(scope, memberId(props.member));
    // API Gateway times out after 30 seconds; running longer would only cost money.
    const fn = fleetFunction(this, { ...props, timeoutSeconds: 29 });
    const { member, settings } = props;
    if (settings.waiting === "wake-up-queue" && member.kind === "endpoint" && member.spec.longPoll)
      alarms.add(this, "Held-polls", heldPollsAlarm(fn));
    const target = settings.canaries && hasCanary(member) ? canaryAlias(this, fn, api.apiId) : fn;
    this.route = new HttpRoute(this, "Route", {
      httpApi: api,
      routeKey:
        member.kind === "fallback"
          ? HttpRouteKey.DEFAULT
          : HttpRouteKey.with(pathOf(member.spec), HttpMethod[member.spec.method]),
      integration: new HttpLambdaIntegration("Integration", target),
    });
  }

  /** What a route to this function has as its target. */
  get target(): string | undefined {
    return (this.route.node.defaultChild as CfnRoute).target;
  }
}

/**
 * A route that leads to the fallback. CloudFormation knows it by the same name as that of an endpoint would have, so that
 * an upgrade which adds or removes the endpoint changes where the route leads.
 */
export function refusedRoute(
  scope: Construct,
  { method, path }: Route,
  api: HttpApi,
  target: string | undefined,
): Construct {
  const likeHttpRoute = new Construct(new Construct(scope, routeId({ method, path })), "Route");
  new CfnRoute(likeHttpRoute, "Resource", {
    apiId: api.apiId,
    routeKey: `${method} ${path}`,
    ...(target !== undefined && { target }),
  });
  return likeHttpRoute;
}
