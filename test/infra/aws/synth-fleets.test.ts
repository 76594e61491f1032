import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleFleet } from "../../../infra/build/bundle.ts";
import { loadFleet } from "../../../infra/fleet.ts";
import { endpointSource, fallbackSource, fleetFolder, workerSource } from "../fleet-folder.ts";
import { allOf, type Resource, removeAfterwards, synthesized, type Template } from "./synthesized.ts";

/** The output of `cdk synth` for other fleets than ours. */

test("a fleet of 100 endpoints synthesizes into stacks far below CloudFormation's 500 resources", async () => {
  const sources = Object.fromEntries(
    Array.from({ length: 100 }, (_, index): [string, string] => {
      const uses = '{ table: "readWrite", sends: ["jobs"], schedules: ["jobs"], files: "read", secret: true }';
      return [`resource-${index % 10}/get-thing-${index}.ts`, endpointSource("GET", `/things/${index}/{id}`, uses)];
    }),
  );
  const folder = fleetFolder({
    ...sources,
    "jobs/do-job.ts": workerSource("jobs"),
    "server/unknown-route.ts": fallbackSource,
  });
  removeAfterwards(folder.root);

  const { templates } = await synthesized(await loadFleet(folder.root));

  expect(allOf(templates, "AWS::Lambda::Function")).toHaveLength(102);
  expect(Math.max(...templates.map((template) => Object.keys(template).length))).toBeLessThan(150);
  // CloudFormation's limit for a template: one megabyte.
  expect(Math.max(...templates.map((template) => JSON.stringify(template).length))).toBeLessThan(500_000);
}, 60_000);

test("a change to one function's code changes only that function's asset", async () => {
  const { root } = fleetFolder({
    "things/get-thing.ts": endpointSource("GET", "/things/{id}"),
    "things/add-thing.ts": endpointSource("POST", "/things", '{ table: "readWrite", sends: ["jobs"] }'),
    "people/get-person.ts": endpointSource("GET", "/people/{id}"),
    "jobs/do-job.ts": workerSource("jobs"),
    "server/unknown-route.ts": fallbackSource,
  });
  removeAfterwards(root);
  const fleet = await loadFleet(root);
  const before = resourcesOf(await synthesized(fleet, {}, bundleFleet));

  appendFileSync(join(root, "functions/things/add-thing.ts"), '\nexport const changed = () => "now";\n');
  const after = resourcesOf(await synthesized(fleet, {}, bundleFleet));

  expect([...after.keys()]).toEqual([...before.keys()]);
  const changed = [...after].filter(([id, resource]) => JSON.stringify(resource) !== JSON.stringify(before.get(id)));
  // The parent of the function's nested stack changes too, because it refers to the new template.
  expect(changed.map(([, { Type }]) => Type).sort()).toEqual(["AWS::CloudFormation::Stack", "AWS::Lambda::Function"]);
  expect(changed.map(([id]) => id).find((id) => !id.includes("NestedStack"))).toContain("addthing");
}, 60_000);

/** All resources by their logical IDs, which contain a hash of their path in the fleet. */
const resourcesOf = ({ templates }: { templates: readonly Template[] }) =>
  new Map<string, Resource>(templates.flatMap((template) => Object.entries(template)));
