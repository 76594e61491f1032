import { readFileSync } from "node:fs";
import { AwsSolutionsChecks } from "cdk-nag";
import { beforeAll, expect, test } from "vitest";
import { type FleetMember, loadFleet } from "../../../infra/fleet.ts";
import { endpointSource, fallbackSource, fleetFolder, workerSource } from "../fleet-folder.ts";
import { allOf, removeAfterwards, synthesized, type Template } from "./synthesized.ts";

/** The monitoring in the templates, which costs money every month, for each of the operator's settings. */

let fleet: FleetMember[];
const synthesizedFleet = (context: Record<string, string>) => synthesized(fleet, context);

const withAlarms = { alarmsTo: "operator@globe.test" };
const withDashboard = { dashboard: "true" };

beforeAll(async () => {
  const folder = fleetFolder({
    "jobs/do-job.ts": workerSource("jobs"),
    "server/unknown-route.ts": fallbackSource,
    "server/get-thing.ts": endpointSource("GET", "/thing", '{ table: "read" }'),
  });
  removeAfterwards(folder.root);
  fleet = await loadFleet(folder.root);
});

/** The fleet name under which each function writes metrics, if it writes any. */
const fleetNamesOf = (templates: readonly Template[]) =>
  allOf(templates, "AWS::Lambda::Function").map(({ Properties }) => Properties.Environment?.Variables?.SKEIN_FLEET);

test("by default there is no dashboard and there are no custom metrics", async () => {
  const { templates } = await synthesizedFleet({});

  expect(allOf(templates, "AWS::CloudWatch::Dashboard")).toEqual([]);
  expect(fleetNamesOf(templates)).toEqual([undefined, undefined, undefined]);
});

test("a dashboard turns on the metrics that it shows, but no alarms", async () => {
  const { templates } = await synthesizedFleet(withDashboard);

  expect(allOf(templates, "AWS::CloudWatch::Dashboard")).toHaveLength(1);
  expect(fleetNamesOf(templates)).toEqual(["Skein", "Skein", "Skein"]);
  expect(allOf(templates, "AWS::CloudWatch::Alarm")).toEqual([]);
});

test("alarms turn on their metrics, under the same name, but no dashboard", async () => {
  const { templates } = await synthesizedFleet({ ...withAlarms, name: "Globe" });

  expect(allOf(templates, "AWS::CloudWatch::Dashboard")).toEqual([]);
  expect(fleetNamesOf(templates)).toEqual(["Globe", "Globe", "Globe"]);
  const customMetricAlarms = allOf(templates, "AWS::CloudWatch::Alarm").filter(
    ({ Properties }) => Properties.Namespace === "Skein",
  );
  const Dimensions = expect.arrayContaining([{ Name: "fleet", Value: "Globe" }]);
  expect(customMetricAlarms.map(({ Properties }) => Properties)).toEqual(
    ["waitedMs", "serverErrors", "durationMs", "tableRetries"].map((MetricName) =>
      expect.objectContaining({ MetricName, Dimensions }),
    ),
  );
});

test.each([[{}], [withDashboard], [withAlarms]])("cdk-nag finds nothing with %o", async (context) => {
  const { app } = await synthesizedFleet(context);

  expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
});

test("docs/operating.md says what each saved query answers", async () => {
  const { templates } = await synthesizedFleet({ name: "Globe" });

  const names = allOf(templates, "AWS::Logs::QueryDefinition").map(({ Properties }) => Properties.Name);
  const [, section = ""] = readFileSync("docs/operating.md", "utf8").split("| query | answers |");
  const rows = [...(section.split("\n\n")[0] ?? "").matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => `Globe/${name}`);
  expect(names).toEqual(rows);
  expect(names.length).toBeGreaterThan(5);
});
