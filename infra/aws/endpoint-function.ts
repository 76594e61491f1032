import { type HttpApi, HttpMethod, HttpRoute, HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Construct } from "constructs";
import { type EndpointMember, type FallbackMember, pathOf } from "../fleet.ts";
import { type Alarms, heldPollsAlarm } from "./alarms.ts";
import { canaryAlias, hasCanary } from "./canary.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb"> & {
  member: EndpointMember | FallbackMember;
  api: HttpApi;
  alarms: Alarms;
};

/** One endpoint on AWS: its function, log group, role and route. All of it follows from the declaration. */
export class EndpointFunction extends Construct {
  readonly route: HttpRoute;

  constructor(scope: Construct, { api, alarms, ...props }: Props) {
    super(scope, props.member.name);
    // API Gateway times out after 30 seconds; running longer would only cost money.
    const fn = fleetFunction(this, { ...props, timeoutSeconds: 29 });
    const { member, settings } = props;
    if (settings.waiting === "wake-up-queue" && member.kind === "endpoint" && member.spec.longPoll)
      alarms.add(this, "Held-polls", heldPollsAlarm(fn));
    const target = settings.canaries && hasCanary(member) ? canaryAlias(this, fn, api.apiId) : fn;
    this.route = new HttpRoute(this, "Route", {
      httpApi: api,
      routeKey: routeKeyOf(member),
      integration: new HttpLambdaIntegration("Integration", target),
    });
  }
}

const routeKeyOf = (member: EndpointMember | FallbackMember) =>
  member.kind === "fallback"
    ? HttpRouteKey.DEFAULT
    : HttpRouteKey.with(pathOf(member.spec), HttpMethod[member.spec.method]);
