import { ArnFormat, Fn, type Stack } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { CfnApi, DomainName, HttpApi, HttpStage, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate, CertificateValidation } from "aws-cdk-lib/aws-certificatemanager";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnRecordSet, HostedZone } from "aws-cdk-lib/aws-route53";
import { type FleetMember, isEndpoint, isFallback, pathOf, refusedRoutes } from "../fleet.ts";
import { accessLogLine } from "./access-log.ts";
import { type ApiRoutes, apiDefinition, type Integration } from "./api-definition.ts";
import { hasCanary, liveAlias } from "./canary.ts";
import { invokedFunctionName, invokedFunctions } from "./identity.ts";
import { logGroup } from "./logs.ts";
import type { DeploySettings } from "./settings.ts";
import { eventsHostIntegration, isEventsPoll, wakeUpIntegrations } from "./waiting-routes.ts";

export interface FleetApi {
  apiId: string;
  /** The API's base URL, without a path. */
  url: string;
  /** The target of the CNAME record, for an operator who manages the domain's DNS outside Route 53. */
  domainTarget?: string;
}

/** The prefix of the wake-up queues' URLs, and an ARN pattern that matches all of them. */
interface WakeUpQueues {
  url: string;
  arn: string;
}

/** The HTTP API with its one stage: throttled, with access logs, and with a custom domain if the settings name one. */
export function fleetApi(
  scope: Stack,
  fleet: readonly FleetMember[],
  settings: DeploySettings,
  wakeUpQueues: WakeUpQueues | undefined,
): FleetApi {
  const routes = apiRoutes(fleet, settings, gatewayRole(scope, settings, wakeUpQueues).roleArn, wakeUpQueues?.url);
  const resource = new CfnApi(scope, "Api", {
    body: apiDefinition(settings.name, routes, settings.disableExecuteApiEndpoint),
  });
  const api = HttpApi.fromHttpApiAttributes(scope, "Defined-api", {
    httpApiId: resource.ref,
    apiEndpoint: resource.attrApiEndpoint,
  });
  const domain = settings.domain && fleetDomain(scope, settings.domain);
  new HttpStage(scope, "Stage", {
    httpApi: api,
    stageName: "$default",
    autoDeploy: true,
    throttle: { rateLimit: settings.throttle.requestsPerSecond, burstLimit: settings.throttle.burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(logGroup(scope, "Access-log", settings)),
      format: AccessLogFormat.custom(accessLogLine),
    },
    ...(domain && { domainMapping: { domainName: domain } }),
  });
  const { apiId } = api;
  if (!settings.domain || !domain) return { apiId, url: settings.url || endpointOf(scope, resource, settings) };
  const url = settings.url || `https://${settings.domain.name}`;
  return settings.domain.hostedZoneId ? { apiId, url } : { apiId, url, domainTarget: domain.regionalDomainName };
}

/**
 * The role with which API Gateway invokes functions and receives from wake-up queues. Permissions in the functions' own policies
 * would be a resource for each.
 */
function gatewayRole(scope: Stack, { name }: DeploySettings, wakeUpQueues: WakeUpQueues | undefined): Role {
  const functions = scope.formatArn({
    service: "lambda",
    resource: "function",
    resourceName: invokedFunctions(name),
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return new Role(scope, "Gateway-role", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    inlinePolicies: {
      integrations: new PolicyDocument({
        statements: [
          new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [functions] }),
          ...(wakeUpQueues
            ? [new PolicyStatement({ actions: ["sqs:ReceiveMessage"], resources: [wakeUpQueues.arn] })]
            : []),
        ],
      }),
    },
  });
}

/** All routes of a fleet with what API Gateway does for each. */
function apiRoutes(
  fleet: readonly FleetMember[],
  settings: DeploySettings,
  roleArn: string,
  wakeUpQueuesUrl: string | undefined,
): ApiRoutes {
  const integrationOf = (member: Parameters<typeof invokedFunctionName>[1]) => {
    const name = invokedFunctionName(settings.name, member);
    return lambdaIntegration(settings.canaries && hasCanary(member) ? `${name}:${liveAlias}` : name, roleArn);
  };
  const endpoints = fleet.filter(isEndpoint).map((member) => ({
    method: member.spec.method,
    path: pathOf(member.spec),
    integration:
      settings.waiting === "host" && isEventsPoll(member)
        ? eventsHostIntegration(settings.eventsHost)
        : integrationOf(member),
  }));
  const member = fleet.find(isFallback);
  const fallback = member && integrationOf(member);
  const refused = fallback ? refusedRoutes(fleet).map((route) => ({ ...route, integration: fallback })) : [];
  const wakeUps = wakeUpQueuesUrl === undefined ? [] : wakeUpIntegrations(wakeUpQueuesUrl, roleArn);
  return { routes: [...endpoints, ...refused, ...wakeUps], fallback };
}

/**
 * The function is named instead of referred to: its environment has the API's address, so that a reference would be a cycle.
 */
const lambdaIntegration = (functionName: string, roleArn: string): Integration => ({
  type: "aws_proxy",
  httpMethod: "POST",
  payloadFormatVersion: "2.0",
  credentials: roleArn,
  uri: Fn.sub(
    `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/` +
      `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${functionName}/invocations`,
  ),
});

/**
 * API Gateway's own address of the API, composed from its ID: the attribute ApiEndpoint would be read from API Gateway's control
 * plane for each stack that uses it, which few requests a second already exhaust. Only an emulator itself knows the address.
 */
const endpointOf = (scope: Stack, api: CfnApi, { emulator }: DeploySettings) =>
  emulator ? api.attrApiEndpoint : `https://${api.ref}.execute-api.${scope.region}.${scope.urlSuffix}`;

function fleetDomain(scope: Stack, { name, certificateArn, hostedZoneId }: NonNullable<DeploySettings["domain"]>) {
  const certificate = certificateArn
    ? Certificate.fromCertificateArn(scope, "Certificate", certificateArn)
    : new Certificate(scope, "Certificate", {
        domainName: name,
        validation: CertificateValidation.fromDns(HostedZone.fromHostedZoneId(scope, "Zone", hostedZoneId)),
      });
  const domain = new DomainName(scope, "Domain", { domainName: name, certificate });
  if (hostedZoneId) {
    new CfnRecordSet(scope, "Domain-record", {
      hostedZoneId,
      name,
      type: "A",
      aliasTarget: { dnsName: domain.regionalDomainName, hostedZoneId: domain.regionalHostedZoneId },
    });
  }
  return domain;
}
