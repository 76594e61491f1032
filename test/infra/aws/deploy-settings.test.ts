import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import { AwsSolutionsChecks } from "cdk-nag";
import { beforeAll, describe, expect, test } from "vitest";
import { deploySettings } from "../../../infra/aws/settings.ts";
import { readConfigFile } from "../../../infra/config-file.ts";
import { type FleetMember, loadFleet } from "../../../infra/fleet.ts";
import {
  countedSource,
  endpointSource,
  fallbackSource,
  fleetFolder,
  followerSource,
  workerSource,
} from "../fleet-folder.ts";
import { allOf, removeAfterwards, synthesized } from "./synthesized.ts";

/** The operator's settings and their effect on the templates. */

// Without an output folder, each app would leave a temporary one behind.
const outdir = removeAfterwards(mkdtempSync(join(tmpdir(), "skein-settings-")));
const settingsOf = (context: Record<string, string>, file?: Parameters<typeof deploySettings>[1]) =>
  deploySettings(new App({ context, outdir }).node, file);

test("docs/operating.md has the defaults of settings that are numbers", () => {
  const { logRetention, memoryMb, throttle } = settingsOf({});
  const document = readFileSync("docs/operating.md", "utf8");

  for (const [name, value] of Object.entries({ logRetentionDays: logRetention, memoryMb }))
    expect(document).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\| ${value} \\|$`, "m"));
  expect(document).toMatch(
    new RegExp(`^\\| \`requestsPerSecond\`.*\\| ${throttle.requestsPerSecond}, ${throttle.burst} \\|$`, "m"),
  );
});

test.each([
  ["name", "1 fleet", "-c name must be a stack name"],
  ["removal", "burn", '-c removal must be "retain" or "destroy" (it is "burn")'],
  ["logRetentionDays", "8", "logRetentionDays must be one of the periods"],
  ["memoryMb", "64", "memoryMb must be an integer from 128 to 10240"],
  ["outgoingAllow", "10.0.0.0/8,http://intranet", "http://intranet"],
  ["pushBouncerUrl", "push.test", "pushBouncerUrl must be an http or https URL"],
  ["oidc", "[{}]", "oidc must be a JSON list of identity providers, or the path of a file with one: providers[0].name"],
  ["oidc", "no-such-file.json", "the file cannot be read"],
  ["oidc", '[{"name":"A","issuer":"http://id.test","client_id":"s"}]', "providers[0].issuer must be an https URL"],
  [
    "oidc",
    '[{"name":"A","issuer":"https://id.test","client_id":"s","client_secret":"hidden"}]',
    "providers[0].client_secret would be readable in the template",
  ],
  ["mailFrom", "Ada <ada@globe.test>", "mailFrom must be an email address"],
  ["alarmsTo", "operator", "alarmsTo must be an email address"],
  ["domain", "https://chat.globe.test", "domain must be a host name"],
  ["url", "https://chat.globe.test/team", "url must be an http or https URL without a path"],
  ["domain", "chat.globe.test", "domain needs certificateArn or"],
  ["hostedZoneId", "Z0123456789", "hostedZoneId requires domain, which is not set"],
  ["certificateArn", "arn:aws:iam::1:server-certificate/x", "certificateArn must be the ARN of an ACM certificate"],
  ["tracing", "yes", "tracing must be true or false"],
  ["dashboard", "on", "dashboard must be true or false"],
  ["requestsPerSecond", "0", "requestsPerSecond must be an integer from 1 to 100000"],
  ["burst", "many", "burst must be an integer from 1 to 100000"],
  ["waiting", "patiently", 'waiting must be "held", "wake-up-queue" or "host"'],
  ["waiting", "host", 'waiting "host" needs eventsHost'],
  ["eventsHost", "events.globe.test/", "eventsHost must be the http or https URL of the host"],
  ["limitPresence", "some", "limitPresence must be true or false"],
  ["featureLevel", "422", "featureLevel must be 420 or 421"],
  ["featureLevel", "", "featureLevel must be 420 or 421"],
  ["auditLogDays", "0", "auditLogDays must be an integer from 1 to 3660"],
  ["rateLimits", "200", 'rateLimits must be "off", or requests/seconds'],
  ["rateLimits", "0/60", 'rateLimits must be "off", or requests/seconds'],
  ["table", "Skein-Restored", "table needs tableStreamArn"],
  ["tableStreamArn", "Skein-Restored", "tableStreamArn must be the ARN of a table's stream"],
  ["table", "a table", "table must be the name of a DynamoDB table"],
  ["filesBucket", "Files", "filesBucket must be the name of an S3 bucket"],
  ["secretArn", "skein", "secretArn must be the whole ARN of a secret"],
  ["monthlyBudget", "much", "monthlyBudget must be an integer of dollars"],
  ["monthlyBudget", "20", "monthlyBudget requires alarmsTo"],
  ["disableExecuteApiEndpoint", "true", "disableExecuteApiEndpoint requires domain"],
  ["terminationProtection", "on", "terminationProtection must be true or false"],
  ["tags", "team", "tags must be names and values of tags"],
  ["tags", "aws:team=chat", "tags must be names and values of tags"],
  ["kmsKeyArn", "alias/skein", "kmsKeyArn must be the ARN of a KMS key"],
  ["permissionsBoundary", "Boundary", "permissionsBoundary must be the ARN of a managed policy"],
  ["canaries", "three", "canaries must be true or false"],
  ["maxReadUnits", "-1", "maxReadUnits must be an integer up to 999999"],
  ["maxWriteUnits", "many", "maxWriteUnits must be an integer up to 999999"],
  ["jobConcurrency", "1", "jobConcurrency must be an integer from 2 to 1000"],
])("%s=%s is refused by name", (key, value, message) => {
  expect(() => settingsOf({ [key]: value })).toThrow(message);
});

test("all invalid and unknown fields of a settings file are reported", () => {
  const file = { name: "skein.config.json", values: { removal: "burn", memoryMb: "lots", colour: "red", burst: {} } };

  expect(() => settingsOf({}, file)).toThrow(
    [
      "The settings cannot be used; nothing was changed.",
      '  skein.config.json: unknown setting "colour"',
      '  skein.config.json: removal must be "retain" or "destroy" (it is "burn")',
      '  skein.config.json: memoryMb must be an integer from 128 to 10240 (it is "lots")',
      "  skein.config.json: burst must be an integer from 1 to 100000 (it is {})",
    ].join("\n"),
  );
});

test("the error does not show the URL of the push bouncer, which may have a key", () => {
  expect(() => settingsOf({ pushBouncerUrl: "ftp://name:key@push.test" })).not.toThrow(/name:key/);
});

test("the command line takes precedence over the file, and the file over the environment", () => {
  process.env.SKEIN_MAIL_FROM = "environment@globe.test";
  const file = { name: "skein.config.json", values: { mailFrom: "file@globe.test", memoryMb: 1024, tracing: true } };

  expect(settingsOf({}).mailFrom).toBe("environment@globe.test");
  expect(settingsOf({}, file)).toMatchObject({ mailFrom: "file@globe.test", memoryMb: 1024, tracing: true });
  expect(settingsOf({ memoryMb: "256" }, file)).toMatchObject({ memoryMb: 256 });
  delete process.env.SKEIN_MAIL_FROM;
});

test("a missing file, or one that is not a JSON object, is named in the error", () => {
  const folder = removeAfterwards(mkdtempSync(join(tmpdir(), "skein-config-")));
  const fileWith = (text: string) => {
    writeFileSync(join(folder, "fleet.json"), text);
    return join(folder, "fleet.json");
  };

  expect(() => readConfigFile(join(folder, "none.json"))).toThrow("none.json: the file does not exist");
  expect(() => readConfigFile(fileWith("{"))).toThrow("fleet.json: ");
  expect(() => readConfigFile(fileWith("[]"))).toThrow("fleet.json: must be one JSON object");
  expect(readConfigFile(fileWith('{ "name": "Globe" }'))).toEqual({ name: "fleet.json", values: { name: "Globe" } });
});

describe("in the templates", () => {
  let fleet: FleetMember[];
  const templatesFor = async (context: Record<string, string>) => (await synthesized(fleet, context)).templates;

  beforeAll(async () => {
    const folder = fleetFolder({
      "jobs/do-job.ts": workerSource("jobs"),
      "jobs/follow-log.ts": followerSource,
      "smoke/test-fleet.ts": countedSource,
      "server/unknown-route.ts": fallbackSource,
      "jobs/notify-waiters.ts": followerSource.replace("retriesUntilSuccess: true, ", ""),
      "server/get-thing.ts": endpointSource("GET", "/thing", '{ table: "read" }, longPoll: true'),
    });
    removeAfterwards(folder.root);
    fleet = await loadFleet(folder.root);
  });

  test("removal=destroy deletes the table with the stack", async () => {
    const templates = await templatesFor({ name: "Trial", removal: "destroy" });

    expect(allOf(templates, "AWS::DynamoDB::GlobalTable")).toMatchObject([{ DeletionPolicy: "Delete" }]);
  });

  test("without alarmsTo there is neither a topic nor an alarm to pay for", async () => {
    const templates = await templatesFor({});

    expect([...allOf(templates, "AWS::CloudWatch::Alarm"), ...allOf(templates, "AWS::SNS::Topic")]).toEqual([]);
  });

  test("docs/operating.md describes exactly the alarms that exist", async () => {
    const { app } = await synthesized(fleet, { alarmsTo: "operator@globe.test" });
    const document = readFileSync("docs/operating.md", "utf8");
    const [, section = ""] = document.split("### When an alarm goes off");
    const [table = ""] = section.split(/^## /m);
    const rows = [...table.matchAll(/^\| (?!alarm |-)([^|]+) \|[^|]+\|$/gm)].map(([, first = ""]) => first);
    const alarms = app.node.findAll().filter((construct) => construct instanceof Alarm);
    // "Skein/Given-up/Alarm" is called Given-up.
    const names = new Set(
      alarms.map(
        ({ node }) =>
          node.path
            .replace(/\/Alarm$/, "")
            .split("/")
            .at(-1) ?? "",
      ),
    );

    expect([...names].filter((name) => !rows.some((row) => row.includes(name)))).toEqual([]);
    expect(rows.filter((row) => ![...names].some((name) => row.includes(name)))).toEqual([]);
    expect(names.size).toBeGreaterThan(5);
  });

  test("a custom domain gets its certificate and record in a hosted zone", async () => {
    const templates = await templatesFor({ domain: "chat.globe.test", hostedZoneId: "Z0123456789" });

    expect(allOf(templates, "AWS::CertificateManager::Certificate")).toMatchObject([
      {
        Properties: {
          DomainName: "chat.globe.test",
          ValidationMethod: "DNS",
          DomainValidationOptions: [{ HostedZoneId: "Z0123456789" }],
        },
      },
    ]);
    expect(allOf(templates, "AWS::ApiGatewayV2::DomainName")).toHaveLength(1);
    expect(allOf(templates, "AWS::ApiGatewayV2::ApiMapping")).toHaveLength(1);
    expect(allOf(templates, "AWS::Route53::RecordSet")).toMatchObject([
      { Properties: { Name: "chat.globe.test", Type: "A", HostedZoneId: "Z0123456789" } },
    ]);
  });

  test("an existing certificate is used, and the DNS record is left to the operator", async () => {
    const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/0123-abcd";
    const templates = await templatesFor({ domain: "chat.globe.test", certificateArn });

    expect(allOf(templates, "AWS::CertificateManager::Certificate")).toEqual([]);
    expect(allOf(templates, "AWS::ApiGatewayV2::DomainName")).toMatchObject([
      { Properties: { DomainNameConfigurations: [{ CertificateArn: certificateArn }] } },
    ]);
    expect(allOf(templates, "AWS::Route53::RecordSet")).toEqual([]);
  });

  test("an existing table, bucket and secret are used instead of creating new ones", async () => {
    const secretArn = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:Skein-abc";
    const tableStreamArn =
      "arn:aws:dynamodb:eu-central-1:123456789012:table/Skein-Restored/stream/2026-11-21T00:00:00.000";
    const templates = await templatesFor({
      table: "Skein-Restored",
      tableStreamArn,
      filesBucket: "skein-files",
      secretArn,
    });

    for (const type of ["AWS::DynamoDB::GlobalTable", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"])
      expect(allOf(templates, type)).toEqual([]);
    expect(JSON.stringify(templates)).toContain("table/Skein-Restored/index/gsi1");
  });

  test("tracing=true traces every function, and needs no wildcard permission that is not acknowledged", async () => {
    const { app, templates } = await synthesized(fleet, { tracing: "true" });

    for (const { Properties } of allOf(templates, "AWS::Lambda::Function"))
      expect(Properties.TracingConfig).toEqual({ Mode: "Active" });
    expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
  });
});
