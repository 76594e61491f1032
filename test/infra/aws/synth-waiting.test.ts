import { expect, test } from "vitest";
import { loadFleet } from "../../../infra/fleet.ts";
import { allOf, apiRoutesOf, type DefinedRoute, synthesized } from "./synthesized.ts";

/** The waiting strategies in the templates. */

/** Only functions that depend on the waiting strategy, and those to whose queues they send: few functions synthesize quickly. */
const partOfFleet = async () =>
  (await loadFleet()).filter(
    ({ resource, name }) =>
      ["events", "presence", "server"].includes(resource) ||
      ["deliver-due", "run-background-job", "send-outgoing"].includes(name),
  );

/** Wake-up queues, which are the default. */
async function withWakeUpQueues() {
  const { templates } = await synthesized(await partOfFleet(), {});
  return { templates, resourcesOfType: (type: string) => allOf(templates, type) };
}

test("integrates the wake-up routes directly with SQS, only for wake-up queues", async () => {
  const { templates, resourcesOfType } = await withWakeUpQueues();
  const routes = apiRoutesOf(templates).filter(({ integration }) => integration.integrationSubtype);
  const responseParameters = ({ integration }: DefinedRoute, status: string) =>
    Object.entries(integration.responseParameters[status]).map(([target, source]) => `${target}=${source}`);
  const redirectTo = (location: string) => [
    "overwrite:statuscode=307",
    `overwrite:header.location=${location}`,
    "overwrite:header.x-content-type-options=nosniff",
  ];

  const path = "GET /api/v1/events/{queue_id}/{last_event_id}";
  expect(routes.map(({ key }) => key)).toEqual([1, 2, 3].map((number) => `${path}/wait-${number}`));
  for (const { integration } of routes) {
    expect(integration).toMatchObject({
      type: "aws_proxy",
      integrationSubtype: "SQS-ReceiveMessage",
      payloadFormatVersion: "1.0",
      requestParameters: { WaitTimeSeconds: "20", MaxNumberOfMessages: "10" },
    });
    const { QueueUrl } = integration.requestParameters;
    expect(QueueUrl["Fn::Join"][1].at(-1)).toBe("/Skein-wake-up-$" + "{request.path.queue_id}");
  }
  expect(routes.map((route) => responseParameters(route, "200"))).toEqual(["wait-2", "wait-3", "look"].map(redirectTo));
  for (const route of routes)
    for (const status of ["400", "403", "404", "500", "503"])
      expect(responseParameters(route, status)).toEqual(redirectTo("look?held=true"));
  // The first two routes leave the wake-up visible for the next; the last one hides it for longer than it is retained.
  expect(routes.map(({ integration }) => integration.requestParameters.VisibilityTimeout)).toEqual([
    "0",
    "0",
    undefined,
  ]);

  const roles = resourcesOfType("AWS::IAM::Role").filter(({ Properties }) =>
    JSON.stringify(Properties.AssumeRolePolicyDocument).includes("apigateway.amazonaws.com"),
  );
  expect(roles.map(({ Properties }) => Properties.Policies[0].PolicyDocument.Statement)).toMatchObject([
    [
      {
        Action: "lambda:InvokeFunction",
        Resource: { "Fn::Join": ["", expect.arrayContaining([":function:Skein_*"])] },
      },
      { Action: "sqs:ReceiveMessage", Resource: { "Fn::Join": ["", expect.arrayContaining([":Skein-wake-up-*"])] } },
    ],
  ]);
});

test("the stream starts the function that notifies waiters for log entries and for nothing else", async () => {
  const { resourcesOfType } = await withWakeUpQueues();
  const streamMappings = resourcesOfType("AWS::Lambda::EventSourceMapping").filter(
    ({ Properties }) => Properties.StartingPosition,
  );
  const [table] = resourcesOfType("AWS::DynamoDB::GlobalTable");

  expect(streamMappings.map(({ Properties }) => Properties)).toMatchObject([
    { StartingPosition: "LATEST", MaximumRecordAgeInSeconds: 60, MaximumRetryAttempts: 2 },
  ]);
  expect(JSON.parse(streamMappings[0]?.Properties.FilterCriteria.Filters[0].Pattern)).toEqual({
    eventName: ["INSERT"],
    dynamodb: { Keys: { pk: { S: [{ prefix: "LOG#" }] } } },
  });
  expect(table?.Properties.StreamSpecification).toEqual({ StreamViewType: "NEW_IMAGE" });
});

test("with waiting=held there are no wake-up queues and no function that continues polls", async () => {
  const fleet = await partOfFleet();
  const { templates } = await synthesized(fleet, { waiting: "held" });

  const wakeUpFunctions = fleet.filter(({ spec }) => "waiting" in spec && spec.waiting === "wake-up-queue");
  expect(wakeUpFunctions.map(({ name }) => name)).toEqual(["look-for-events"]);
  expect(allOf(templates, "AWS::Lambda::Function")).toHaveLength(fleet.length - wakeUpFunctions.length);
  expect(JSON.stringify(templates)).not.toMatch(/Skein-wake-up-|WAKE_UP_QUEUES_URL|SQS-ReceiveMessage/);
});

test("with waiting=host GET /events is routed to the host, and there is no function for it", async () => {
  const fleet = await partOfFleet();
  const { templates } = await synthesized(fleet, { waiting: "host", eventsHost: "https://events.example.com" });

  const proxied = apiRoutesOf(templates).filter(({ integration }) => integration.type === "http_proxy");
  expect(proxied.map(({ key, integration }) => [key, integration.uri])).toEqual([
    ["GET /api/v1/events", "https://events.example.com/api/v1/events"],
  ]);
  // Without get-events and the function that continues polls.
  expect(allOf(templates, "AWS::Lambda::Function")).toHaveLength(fleet.length - 2);
});

test("limitPresence is set for every function that may return presence", async () => {
  const { templates } = await synthesized(await partOfFleet(), { limitPresence: "true", waiting: "held" });

  const limited = allOf(templates, "AWS::Lambda::Function")
    .filter(({ Properties }) => Properties.Environment?.Variables.SKEIN_LIMIT_PRESENCE === "true")
    .map(({ Properties }) => Properties.Description);
  expect(limited).toEqual(
    expect.arrayContaining([
      "presence/get-realm-presence",
      "presence/get-user-presence",
      "presence/update-presence",
      "events/register-queue",
      "events/get-events",
    ]),
  );
});

test("rateLimits is set for every endpoint with table access", async () => {
  const { templates } = await synthesized(await partOfFleet(), { rateLimits: "off", waiting: "held" });

  const functionNames = allOf(templates, "AWS::Lambda::Function")
    .filter(({ Properties }) => Properties.Environment?.Variables.SKEIN_RATE_LIMITS === "off")
    .map(({ Properties }) => Properties.Description);
  expect(functionNames).toEqual(expect.arrayContaining(["events/get-events", "presence/get-realm-presence"]));
});
