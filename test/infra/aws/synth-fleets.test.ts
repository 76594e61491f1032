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
}, 120_000);

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
  expect(changed.map(([id]) => id).find((id) => !id.includes("NestedStack"))).toContain("POSTapiv1things");
}, 120_000);

test("moved and renamed files leave every route, queue and schedule where it is", async () => {
  const uses = '{ table: "readWrite", sends: ["jobs"] }';
  const endpoints = Array.from({ length: 12 }, (_, index) => endpointSource("GET", `/things/${index}/{id}`, uses));
  const fleetWith = async (nameOf: (index: number) => string, jobs: string) => {
    const files = endpoints.map((source, index): [string, string] => [nameOf(index), source]);
    const { root } = fleetFolder({
      ...Object.fromEntries(files),
      [jobs]: workerSource("jobs"),
      "server/unknown-route.ts": fallbackSource,
    });
    removeAfterwards(root);
    return (await synthesized(await loadFleet(root))).templates;
  };
  const before = await fleetWith((index) => `things/get-thing-${index}.ts`, "jobs/do-job.ts");
  const after = await fleetWith((index) => `parts-${index % 3}/read-part-${index}.ts`, "work/run-job.ts");

  // In each template the same resources, of which only functions have changed, in their description and code.
  const comparable = (template: Template) =>
    Object.entries(template).flatMap(([id, { Type, Properties }]) => {
      if (Type === "AWS::CloudFormation::Stack") return [];
      const { Description, Code, ...others } = Properties;
      return [[id, Type, Type === "AWS::Lambda::Function" ? others : Properties]];
    });
  const sorted = (templates: readonly Template[]) => templates.map((one) => JSON.stringify(comparable(one))).sort();
  expect(sorted(after)).toEqual(sorted(before));
});

test("a route keeps its name when an endpoint takes it from the fallback, or renames its variable", async () => {
  const routesWith = async (sources: Record<string, string>) => {
    const { root } = fleetFolder({ ...sources, "server/unknown-route.ts": fallbackSource });
    removeAfterwards(root);
    const { templates } = await synthesized(await loadFleet(root));
    return templates.flatMap((template) =>
      Object.entries(template).flatMap(([id, { Type, Properties }]) =>
        Type === "AWS::ApiGatewayV2::Route" ? [[id, Properties.RouteKey] as const] : [],
      ),
    );
  };
  const others = {
    "things/add-thing.ts": endpointSource("POST", "/things/new"),
    "things/get-thing.ts": endpointSource("GET", "/things/{id}"),
  };
  const before = new Map(await routesWith(others));
  const after = new Map(
    await routesWith({
      ...others,
      "things/get-new-things.ts": endpointSource("GET", "/things/new"),
      "things/get-thing.ts": endpointSource("GET", "/things/{thing_id}"),
    }),
  );

  expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
  expect([...before.values()]).toEqual(expect.arrayContaining(["GET /api/v1/things/new", "GET /api/v1/things/{id}"]));
  expect([...after.values()]).toContain("GET /api/v1/things/{thing_id}");
});

/** All resources by their logical IDs, which contain a hash of their path in the fleet. */
const resourcesOf = ({ templates }: { templates: readonly Template[] }) =>
  new Map<string, Resource>(templates.flatMap((template) => Object.entries(template)));
