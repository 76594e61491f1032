import { Construct } from "constructs";
import type { EndpointMember, FallbackMember } from "../fleet.ts";
import { canaryAlias, hasCanary } from "./canary.ts";
import { type FunctionProps, fleetFunction } from "./fleet-function.ts";
import { invokedFunctionName, memberId } from "./identity.ts";

type Props = Omit<FunctionProps, "member" | "timeoutSeconds" | "memoryMb"> & {
  member: EndpointMember | FallbackMember;
  apiId: string;
};

/** One endpoint on AWS: its function, from the declaration. The API's definition names the function. */
export class EndpointFunction extends Construct {
  constructor(scope: Construct, { apiId, ...props }: Props) {
    super(scope, memberId(props.member));
    const { member, settings } = props;
    // API Gateway times out after 30 seconds; running longer would only cost money.
    const fn = fleetFunction(this, {
      ...props,
      timeoutSeconds: 29,
      functionName: invokedFunctionName(settings.name, member),
    });
    if (settings.canaries && hasCanary(member)) canaryAlias(this, fn, apiId);
  }
}
