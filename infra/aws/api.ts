import { Duration, type Stack } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { CorsHttpMethod, DomainName, HttpApi, HttpStage, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate, CertificateValidation } from "aws-cdk-lib/aws-certificatemanager";
import { CfnRecordSet, HostedZone } from "aws-cdk-lib/aws-route53";
import { cors } from "../cors.ts";
import { accessLogLine } from "./access-log.ts";
import { logGroup } from "./logs.ts";
import type { DeploySettings } from "./settings.ts";

export interface FleetApi {
  api: HttpApi;
  /** The API's base URL, without a path. */
  url: string;
  /** The target of the CNAME record, for an operator who manages the domain's DNS outside Route 53. */
  domainTarget?: string;
}

/** The HTTP API with its one stage: throttled, with access logs, and with a custom domain if the settings name one. */
export function fleetApi(scope: Stack, settings: DeploySettings): FleetApi {
  const api = new HttpApi(scope, "Api", {
    apiName: settings.name,
    createDefaultStage: false,
    disableExecuteApiEndpoint: settings.disableExecuteApiEndpoint,
    // The gateway answers preflights itself, so that no function runs.
    corsPreflight: {
      allowOrigins: [cors.origin],
      allowMethods: cors.methods.map((method) => CorsHttpMethod[method]),
      allowHeaders: [...cors.requestHeaders],
      exposeHeaders: [...cors.exposedHeaders],
      maxAge: Duration.seconds(cors.maxAgeSeconds),
    },
  });
  const domain = settings.domain && fleetDomain(scope, settings.domain);
  new HttpStage(api, "DefaultStage", {
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
  if (!settings.domain || !domain) return { api, url: settings.url || endpointOf(scope, api, settings) };
  const url = settings.url || `https://${settings.domain.name}`;
  return settings.domain.hostedZoneId ? { api, url } : { api, url, domainTarget: domain.regionalDomainName };
}

/**
 * API Gateway's own address of the API, composed from its ID: the attribute ApiEndpoint would be read from API Gateway's control
 * plane for each stack that uses it, which few requests a second already exhaust. Only an emulator itself knows the address.
 */
const endpointOf = (scope: Stack, api: HttpApi, { emulator }: DeploySettings) =>
  emulator ? api.apiEndpoint : `https://${api.apiId}.execute-api.${scope.region}.${scope.urlSuffix}`;

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
