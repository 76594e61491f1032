import { AwsSolutionsChecks } from "cdk-nag";
import { beforeAll, expect, test } from "vitest";
import { loadFleet, type Member } from "../../infra/fleet.ts";
import { endpointSource, fallbackSource, fleetFolder, workerSource } from "./fleet-folder.ts";
import { allOf, removeAfterwards, synthesized, type Template } from "./synthesized.ts";

/** What watches over a fleet costs money every month: what of it is in the templates, by what the operator has chosen. */

let fleet: Member[];
const made = (context: Record<string, string>) => synthesized(fleet, context);

const alarmed = { alarmsTo: "operator@globe.test" };
const shown = { dashboard: "true" };

beforeAll(async () => {
  const folder = fleetFolder({
    "jobs/do-job.ts": workerSource("jobs"),
    "server/unknown-route.ts": fallbackSource,
    "server/get-thing.ts": endpointSource("GET", "/thing", '{ table: "read" }'),
  });
  removeAfterwards(folder.root);
  fleet = await loadFleet(folder.root);
});

/** By which name each function writes metrics, if it does. */
const fleetsNamed = (templates: readonly Template[]) =>
  allOf(templates, "AWS::Lambda::Function").map(({ Properties }) => Properties.Environment?.Variables?.SKEIN_FLEET);

/** The class of each group of logs, by its logical ID. */
const classesIn = (templates: readonly Template[]) =>
  new Map(
    templates.flatMap((template) =>
      Object.entries(template).flatMap(([id, { Type, Properties }]): [string, string][] =>
        Type === "AWS::Logs::LogGroup" ? [[id, Properties.LogGroupClass]] : [],
      ),
    ),
  );

test("unless the operator asks for it there is neither a dashboard nor a metric of the fleet's own", async () => {
  const { templates } = await made({});

  expect(allOf(templates, "AWS::CloudWatch::Dashboard")).toEqual([]);
  expect(fleetsNamed(templates)).toEqual([undefined, undefined, undefined]);
});

test("a dashboard brings the metrics that it shows, and no alarm", async () => {
  const { templates } = await made(shown);

  expect(allOf(templates, "AWS::CloudWatch::Dashboard")).toHaveLength(1);
  expect(fleetsNamed(templates)).toEqual(["Skein", "Skein", "Skein"]);
  expect(allOf(templates, "AWS::CloudWatch::Alarm")).toEqual([]);
});

test("alarms bring the metrics that they ring by, under the name by which they look for them, and no dashboard", async () => {
  const { templates } = await made({ ...alarmed, name: "Globe" });

  expect(allOf(templates, "AWS::CloudWatch::Dashboard")).toEqual([]);
  expect(fleetsNamed(templates)).toEqual(["Globe", "Globe", "Globe"]);
  const own = allOf(templates, "AWS::CloudWatch::Alarm").filter(({ Properties }) => Properties.Namespace === "Skein");
  expect(own.map(({ Properties }) => Properties)).toMatchObject([
    { MetricName: "durationMs", Dimensions: expect.arrayContaining([{ Name: "fleet", Value: "Globe" }]) },
  ]);
});

test("logs are of the cheaper class, unless CloudWatch makes metrics of their lines", async () => {
  const count = async (context: Record<string, string>) => {
    const { templates } = await made(context);
    const classes = [...classesIn(templates).values()];
    return classes.toSorted();
  };

  expect(await count({})).toEqual(Array(4).fill("INFREQUENT_ACCESS"));
  // Nobody makes metrics of the gateway's own log.
  for (const context of [shown, alarmed])
    expect(await count(context)).toEqual(["INFREQUENT_ACCESS", "STANDARD", "STANDARD", "STANDARD"]);
});

test("a group of the other class is another resource, for CloudFormation can change no group's class", async () => {
  const [cheap, full] = await Promise.all(
    [{}, shown].map(async (context) => classesIn((await made(context)).templates)),
  );

  for (const [id, logClass] of full ?? []) expect(cheap?.get(id) ?? logClass).toBe(logClass);
  // Fleets of before have groups of the standard class alone, under these names.
  for (const [id, logClass] of [...(cheap ?? []), ...(full ?? [])])
    expect(/infrequent/.test(id)).toBe(logClass === "INFREQUENT_ACCESS");
});

test.each([[{}], [shown], [alarmed]])("cdk-nag finds nothing with %o", async (context) => {
  const { app } = await made(context);

  expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
});
