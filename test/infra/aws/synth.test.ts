import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { AwsSolutionsChecks } from "cdk-nag";
import { beforeAll, describe, expect, test } from "vitest";
import { alarmCount } from "../../../bench/month/monitoring.ts";
import type { CoreStack } from "../../../infra/aws/core-stack.ts";
import { statementsFor } from "../../../infra/aws/grants.ts";
import {
  type FleetMember,
  isEndpoint,
  isRecurring,
  isWorker,
  loadFleet,
  refusedRoutes,
  routeKeyOf,
} from "../../../infra/fleet.ts";
import { isQueued, withAwsQueues } from "../../../infra/queues.ts";
import { wakeUpRoutes } from "../../../infra/waiting.ts";
import {
  allOf,
  apiDefinitionOf,
  apiRoutesOf,
  invokedBy,
  type Resource,
  synthesized,
  type Template,
  wildcardsOf,
} from "./synthesized.ts";

const isFunctionRole = ({ Properties }: Resource) =>
  JSON.stringify(Properties.AssumeRolePolicyDocument).includes("lambda.amazonaws.com");

/** What Lambda does with the role of a function that it polls for, or whose failures it keeps. */
function triggerActions({ kind, spec }: FleetMember): string[] {
  if (kind === "worker" && spec.invokedBySes) return ["sqs:SendMessage"];
  if (kind === "worker") return ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
  if (kind === "recurring") return spec.countsFailures ? [] : ["sqs:SendMessage"];
  if (kind === "follower")
    return ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"];
  return [];
}

describe("the fleet", () => {
  let fleet: FleetMember[];
  let templates: Template[];
  let core: CoreStack;
  let outdir: string;
  let findings: { ruleName: string; violatingResources: { constructPath?: string }[] }[];
  const resourcesOfType = (type: string) => allOf(templates, type);

  beforeAll(async () => {
    fleet = withAwsQueues(await loadFleet());
    const output = await synthesized(fleet, {
      ...{ alarmsTo: "operator@globe.test", dashboard: "true", mailDomain: "chat.globe.test" },
    });
    ({ templates, core, outdir } = output);
    findings = new AwsSolutionsChecks().validateScope(output.app).violations;
  });

  test("has templates that are valid by CDK's rules, which a deployment does not check again", () => {
    const { pluginReports } = JSON.parse(readFileSync(`${outdir}/validation-report.json`, "utf8"));

    expect(pluginReports).toEqual([]);
  });

  test("has one arm64 function on Node 24 for each file, and one log group of all with retention", () => {
    const functions = resourcesOfType("AWS::Lambda::Function");

    expect(functions).toHaveLength(fleet.length);
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"] });
      expect(Properties.LoggingConfig.LogGroup).toBeDefined();
    }
    const logGroups = resourcesOfType("AWS::Logs::LogGroup");
    // One more for the access log.
    expect(logGroups).toHaveLength(2);
    for (const { Properties } of logGroups) expect(Properties.RetentionInDays).toBe(30);
  });

  test("has the numbers of resources and routes that the documents round down", () => {
    const resources = templates.flatMap((template) => Object.keys(template)).length;
    const routes = apiRoutesOf(templates).length;
    const roundedDown = (count: number, step: number) =>
      `more than ${(Math.floor(count / step) * step).toLocaleString("en-US")}`;

    expect(readFileSync("docs/first-deployment.md", "utf8")).toContain(
      `creates ${roundedDown(resources, 100)} resources`,
    );
    expect(readFileSync("docs/operating.md", "utf8")).toContain(`the fleet uses ${roundedDown(routes, 10)}.`);
    expect(resources).toBeLessThan(500);
    // The quota of an HTTP API, which AWS raises for routes, but not for integrations.
    expect(routes).toBeLessThan(300);
  });

  test("gives functions that decode pictures or read mails more memory, and those that notify many clients a whole processor", () => {
    const sizes = resourcesOfType("AWS::Lambda::Function").map(({ Properties }) => Properties.MemorySize);

    expect(sizes.filter((size) => size === 1024)).toHaveLength(2);
    expect(sizes.filter((size) => size === 1769)).toHaveLength(2);
  });

  test("passes cdk-nag's AWS Solutions pack, except for findings acknowledged with a reason", () => {
    const violations = findings.map(({ ruleName, violatingResources }) => [
      ruleName,
      violatingResources[0]?.constructPath,
    ]);

    expect(violations).toEqual([]);
  });

  test("allows CORS from any origin without cookies, in the gateway and the bucket", () => {
    const [bucket] = resourcesOfType("AWS::S3::Bucket");

    expect(apiDefinitionOf(templates)["x-amazon-apigateway-cors"]).toEqual({
      allowOrigins: ["*"],
      allowHeaders: ["Authorization", "Content-Type"],
      allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
      exposeHeaders: ["Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
      maxAge: 86_400,
    });
    expect(bucket?.Properties.CorsConfiguration.CorsRules).toEqual([
      { AllowedOrigins: ["*"], AllowedMethods: ["GET", "HEAD", "PUT"], AllowedHeaders: ["*"], MaxAge: 86_400 },
    ]);
  });

  test("gives each function a role that allows what its declaration and trigger need, and nothing else", () => {
    const roles = new Map<string, Resource>(
      templates.flatMap((template) => Object.entries(template).filter(([, { Type }]) => Type === "AWS::IAM::Role")),
    );
    // A nested stack has the roles' ARNs as parameters.
    const parameters = Object.assign(
      {},
      ...resourcesOfType("AWS::CloudFormation::Stack").map(({ Properties }) => Properties.Parameters),
    );
    const members = new Map(fleet.map((member) => [`${member.resource}/${member.name}`, member]));
    const rolesOfMembers = resourcesOfType("AWS::Lambda::Function").map(({ Properties }) => {
      const { Ref: parameter, "Fn::GetAtt": [id] = parameters[parameter]["Fn::GetAtt"] } = Properties.Role;
      return { member: members.get(Properties.Description)!, role: roles.get(id)! };
    });

    for (const { member, role } of rolesOfMembers) {
      const [{ PolicyDocument }, ...others] = role.Properties.Policies;
      const expected = [
        ...statementsFor(member.spec.uses, core.shared),
        new PolicyStatement({
          actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
          resources: [core.logs.logGroupArn],
        }),
      ].map((statement) => core.resolve(statement.toStatementJson()));
      expect(others).toEqual([]);
      expect(PolicyDocument.Statement.slice(0, expected.length)).toEqual(expected);
      const ofTrigger = PolicyDocument.Statement.slice(expected.length).flatMap(({ Action }: any) => Action);
      expect(ofTrigger).toEqual(triggerActions(member));
    }
    // Fewer roles than functions; none is without a function.
    const used = new Set(rolesOfMembers.map(({ role }) => role));
    expect(used.size).toBeLessThan(60);
    expect([...roles.values()].filter(isFunctionRole)).toHaveLength(used.size);
    expect(templates.flatMap(Object.values).filter(({ Type }) => /ManagedPolicy$|IAM::Policy$/.test(Type))).toEqual([]);
    for (const { Properties } of resourcesOfType("AWS::IAM::Role"))
      expect(Properties.ManagedPolicyArns).toBeUndefined();
  });

  test("allows no wildcard actions, and wildcard resources only below one named resource", () => {
    const statements = resourcesOfType("AWS::IAM::Role").flatMap(({ Properties }) =>
      Properties.Policies.flatMap((policy: any) => policy.PolicyDocument.Statement),
    );

    for (const { Effect, Action, Resource } of statements) {
      expect(Effect).toBe("Allow");
      expect([Action].flat().filter((action) => action.includes("*"))).toEqual([]);
      for (const resource of [Resource].flat()) expect(wildcardsOf(resource, [Action].flat())).toEqual([]);
    }
    expect(statements.length).toBeGreaterThan(100);
  });

  test("contains none of the permissions that only MiniStack needs", () => {
    expect(JSON.stringify(templates)).not.toMatch(/schedule\/default|SendMessageBatch/);
  });

  test("has a table with on-demand capacity and point-in-time recovery", () => {
    const [table, ...otherResources] = resourcesOfType("AWS::DynamoDB::GlobalTable");

    expect(otherResources).toEqual([]);
    expect(table).toMatchObject({
      Properties: {
        BillingMode: "PAY_PER_REQUEST",
        TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
        Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
      },
    });
  });

  test("keeps data with the stack, except when the stack's own creation is rolled back", () => {
    for (const type of ["AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"])
      expect(resourcesOfType(type)).toMatchObject([
        { DeletionPolicy: "RetainExceptOnCreate", UpdateReplacePolicy: "Retain" },
      ]);
    // A protected table could not be deleted by a rollback; the command protects it afterwards.
    const [table] = resourcesOfType("AWS::DynamoDB::GlobalTable");
    expect(table?.Properties.Replicas[0].DeletionProtectionEnabled).toBeUndefined();
    const retained = templates.flatMap((template) =>
      Object.values(template).filter(({ DeletionPolicy }) => DeletionPolicy === "Retain"),
    );
    expect(retained).toEqual([]);
  });

  test("gives all job queues one dead-letter queue, encrypted and only over TLS", () => {
    const workers = fleet.filter(isWorker).filter(isQueued).length;
    const queues = resourcesOfType("AWS::SQS::Queue");
    const jobQueues = queues.filter(({ Properties }) => Properties.RedrivePolicy);

    expect(jobQueues).toHaveLength(workers);
    // The dead letters of jobs, and those of schedules.
    expect(queues).toHaveLength(workers + 2);
    const targets = jobQueues.map(({ Properties }) => JSON.stringify(Properties.RedrivePolicy.deadLetterTargetArn));
    expect(new Set(targets).size).toBe(1);
    for (const { Properties } of queues) expect(Properties.SqsManagedSseEnabled).toBe(true);
    expect(resourcesOfType("AWS::SQS::QueuePolicy")).toHaveLength(queues.length);
    const jobMappings = resourcesOfType("AWS::Lambda::EventSourceMapping").filter(
      ({ Properties }) => !Properties.StartingPosition,
    );
    expect(jobMappings).toHaveLength(workers);
    for (const { Properties } of jobMappings) {
      expect(Properties).toMatchObject({ FunctionResponseTypes: ["ReportBatchItemFailures"] });
      // With a maximum, Lambda would poll quiet queues five times at once, and not twice.
      expect(Properties.ScalingConfig).toBeUndefined();
    }
  });

  test("runs recurring work by schedules, each with a role that may only invoke its function", () => {
    const recurring = fleet.filter(isRecurring);
    const schedules = resourcesOfType("AWS::Scheduler::Schedule");

    expect(schedules).toHaveLength(recurring.length);
    const runs = schedules.filter(({ Properties }) => Properties.Target.Input.includes("execution-id"));
    expect(runs).toHaveLength(recurring.length);
    for (const { Properties } of runs) expect(Properties.Target.DeadLetterConfig.Arn).toBeDefined();
    // SES too invokes a worker without waiting.
    const invokedBySes = fleet.filter(isWorker).filter((worker) => !isQueued(worker)).length;
    expect(invokedBySes).toBe(1);
    expect(resourcesOfType("AWS::Lambda::EventInvokeConfig")).toHaveLength(recurring.length + invokedBySes);
    const deadLettered = resourcesOfType("AWS::Lambda::EventInvokeConfig").filter(
      ({ Properties }) => Properties.DestinationConfig?.OnFailure.Destination,
    );
    expect(deadLettered).toHaveLength(recurring.filter(({ spec }) => !spec.countsFailures).length + invokedBySes);
    const roles = resourcesOfType("AWS::IAM::Role").filter(({ Properties }) =>
      JSON.stringify(Properties.Policies).includes("lambda:InvokeFunction"),
    );
    // And the role of API Gateway, and that of the schedules which functions create.
    expect(roles).toHaveLength(recurring.length + 2);
  });

  test("lets functions start imports, and gives these the memory, space and time that they need", () => {
    const [imports, ...others] = resourcesOfType("AWS::Lambda::Function").filter(
      ({ Properties }) => Properties.EphemeralStorage,
    );
    expect(others).toEqual([]);
    expect(imports?.Properties).toMatchObject({
      ...{ MemorySize: 3008, Timeout: 900, EphemeralStorage: { Size: 10_240 } },
      FunctionName: expect.stringMatching(/-run-imports$/),
    });
    const name = imports?.Properties.FunctionName;
    const starters = resourcesOfType("AWS::Lambda::Function").filter(({ Properties }) =>
      JSON.stringify(Properties.Environment.Variables.FUNCTION_ARN_IMPORTS ?? "").includes(`function:${name}"`),
    );
    expect(starters).toHaveLength(fleet.filter(({ spec }) => spec.uses.starts?.includes("imports")).length);
    const invoking = resourcesOfType("AWS::IAM::Role").filter(({ Properties }) =>
      JSON.stringify(Properties.Policies ?? "").includes(`function:${name}"`),
    );
    expect(invoking).toHaveLength(1);
  });

  test("throttles the API, and its access logs have no paths, queries or credentials", () => {
    const stages = resourcesOfType("AWS::ApiGatewayV2::Stage");
    const [stage, ...otherStages] = stages.filter(({ Properties }) => Properties.StageName === "$default");

    expect(otherStages).toEqual([]);
    // Only an account that has a role for it can have access logs of connections.
    expect(stages.filter(({ Properties }) => !Properties.AccessLogSettings)).toMatchObject([
      { Properties: { StageName: "live", AutoDeploy: true } },
    ]);
    for (const { Properties } of stages)
      expect(Properties.DefaultRouteSettings).toEqual({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1000 });
    const { Format, DestinationArn } = stage?.Properties.AccessLogSettings ?? {};
    expect(DestinationArn).toBeDefined();
    expect(Object.keys(JSON.parse(Format))).toEqual(
      expect.arrayContaining(["requestId", "route", "status", "sourceIp", "userAgent", "latencyMs", "error"]),
    );
    expect(Format).not.toMatch(/context\.path|querystring|authoriz|header/i);
  });

  test("triggers log consumers by the table's stream, only for log entries, with retries", () => {
    const consumers = resourcesOfType("AWS::Lambda::EventSourceMapping").filter(
      ({ Properties }) => Properties.StartingPosition === "TRIM_HORIZON",
    );
    const Keys = { pk: { S: [{ prefix: "LOG#" }] } };
    const types = ["message", "update_message", "delete_message", "update_message_flags"];

    expect(consumers.map(({ Properties }) => Properties)).toMatchObject([
      { MaximumRecordAgeInSeconds: 86_400, MaximumRetryAttempts: 100, MaximumBatchingWindowInSeconds: 2 },
    ]);
    const patterns = consumers[0]?.Properties.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
      JSON.parse(Pattern),
    );
    expect(patterns).toEqual([
      { eventName: ["INSERT"], dynamodb: { Keys, NewImage: { event: { M: { type: { S: types } } } } } },
      { eventName: ["INSERT"], dynamodb: { Keys, NewImage: { packedEvent: { B: [{ exists: true }] } } } },
    ]);
  });

  test("has alarms that send email", () => {
    const alarms = resourcesOfType("AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);

    expect(resourcesOfType("AWS::SNS::Subscription").map(({ Properties }) => Properties)).toMatchObject([
      { Protocol: "email", Endpoint: "operator@globe.test" },
    ]);
    for (const { AlarmActions, OKActions, AlarmDescription } of alarms) {
      expect(AlarmActions).toHaveLength(1);
      expect(OKActions).toEqual(AlarmActions);
      expect(AlarmDescription).toContain("docs/operating.md");
    }
    expect(alarms).toHaveLength(alarmCount);
    const count = Object.groupBy(alarms, ({ MetricName = "math" }) => MetricName);
    expect(
      Object.fromEntries(Object.entries(count).map(([name, alarmsOfMetric]) => [name, alarmsOfMetric?.length])),
    ).toEqual({
      "5xx": 1,
      // Failures of the WebSocket API.
      IntegrationError: 1,
      durationMs: 1,
      tableRetries: 1,
      waitedMs: 1,
      // Of jobs, recurring work and followers.
      serverErrors: 1,
      IteratorAge: 1,
      // The share of the account's concurrency.
      math: 1,
      // The dead letters of jobs, and those of schedules.
      ApproximateNumberOfMessagesVisible: 2,
    });
  });

  test("has a dashboard of its requests, its functions, its table and each of its queues", () => {
    const [dashboard, ...otherResources] = resourcesOfType("AWS::CloudWatch::Dashboard");
    const body = JSON.stringify(dashboard?.Properties.DashboardBody);

    expect(otherResources).toEqual([]);
    for (const { spec } of fleet.filter(isWorker).filter(isQueued)) expect(body).toContain(spec.queue);
    for (const metric of [
      "5xx",
      "durationMs",
      "readUnits",
      "Throttles",
      "WriteThrottleEvents",
      "InvocationDroppedCount",
    ])
      expect(body).toContain(metric);
  });

  test("logs in JSON, and is not traced unless the operator asks", () => {
    for (const { Properties } of resourcesOfType("AWS::Lambda::Function")) {
      expect(Properties.LoggingConfig).toMatchObject({ LogFormat: "JSON", SystemLogLevel: "WARN" });
      expect(Properties.TracingConfig).toBeUndefined();
      expect(Properties.Environment.Variables.SKEIN_FLEET).toBe("Skein");
    }
  });

  test("keeps files private and encrypted, and secrets out of every template", () => {
    expect(resourcesOfType("AWS::S3::Bucket").map(({ Properties }) => Properties)).toMatchObject([
      {
        BucketEncryption: expect.anything(),
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      },
    ]);
    expect(JSON.stringify(resourcesOfType("AWS::S3::BucketPolicy"))).toContain('"aws:SecureTransport":"false"');
    expect(resourcesOfType("AWS::SecretsManager::Secret")).toHaveLength(1);
    for (const { Properties } of resourcesOfType("AWS::SecretsManager::Secret"))
      expect(Properties.SecretString).toBeUndefined();
  });

  test("routes connections and their messages to their functions, and lets only some functions post", () => {
    const apis = resourcesOfType("AWS::ApiGatewayV2::Api");
    const [api] = apis.filter(({ Properties }) => Properties.ProtocolType === "WEBSOCKET");
    const managers = resourcesOfType("AWS::IAM::Role").filter(({ Properties }) =>
      JSON.stringify(Properties.Policies).includes("execute-api:ManageConnections"),
    );

    expect(apis).toHaveLength(2);
    expect(api?.Properties.RouteSelectionExpression).toBe("$request.body.type");
    expect(managers.length).toBeGreaterThan(0);
    for (const { Properties } of resourcesOfType("AWS::Lambda::Function"))
      expect(Properties.Environment.Variables.CONNECTIONS_URL !== undefined).toBe(
        fleet.some(
          ({ resource, name, spec }) => `${resource}/${name}` === Properties.Description && spec.uses.connections,
        ),
      );
  });

  test("routes each endpoint to its function, and methods that a path lacks and everything else to the fallback", () => {
    const descriptions = new Map(
      resourcesOfType("AWS::Lambda::Function").map(({ Properties }) => [
        Properties.FunctionName ?? Properties.Description,
        Properties.Description,
      ]),
    );
    const routes = apiRoutesOf(templates);
    const wakeUpRouteKeys = wakeUpRoutes.map(({ method, path }) => `${method} ${path}`);
    const served = new Map(routes.map((route) => [route.key, descriptions.get(invokedBy(route))]));

    const fallback = "server/unknown-route";
    expect(Object.fromEntries(served)).toEqual({
      ...Object.fromEntries(wakeUpRouteKeys.map((key) => [key, undefined])),
      ...Object.fromEntries(refusedRoutes(fleet).map(({ method, path }) => [`${method} ${path}`, fallback])),
      ...Object.fromEntries(
        fleet.filter(isEndpoint).map(({ resource, name, spec }) => [routeKeyOf(spec), `${resource}/${name}`]),
      ),
      $default: fallback,
    });
    expect(routes).toHaveLength(served.size);
    for (const { integration } of routes)
      expect(integration).toMatchObject({
        type: "aws_proxy",
        credentials: { "Fn::GetAtt": [expect.any(String), "Arn"] },
      });
  });

  test("defines the API in a document of OpenAPI that is smaller than what CloudFormation and API Gateway take", async () => {
    const definition = apiDefinitionOf(templates);

    // CloudFormation takes templates of a megabyte.
    expect(JSON.stringify(definition).length).toBeLessThan(250_000);
    const { parameters } = definition.paths["/api/v1/user_uploads/{realm_id}/{path+}"];
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(["realm_id", "path+"]);
    const plain = JSON.parse(JSON.stringify(definition).replaceAll("path+", "path"));
    delete plain.paths["/$default"]["x-amazon-apigateway-any-method"];
    expect(await new Validator().validate(plain)).toMatchObject({ valid: true });
  });
});
