import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { invokedFunctionName, invokedFunctions } from "../../../infra/aws/identity.ts";
import { bundleFleet } from "../../../infra/build/bundle.ts";
import { loadFleet } from "../../../infra/fleet.ts";
import { endpointSource, fallbackSource, fleetFolder, workerSource } from "../fleet-folder.ts";
import { allOf, apiRoutesOf, type Resource, removeAfterwards, synthesized, type Template } from "./synthesized.ts";

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

test("a function keeps its name and its place when the variable of its route is renamed", async () => {
  const functionsWith = async (sources: Record<string, string>) => {
    const { root } = fleetFolder({ ...sources, "server/unknown-route.ts": fallbackSource });
    removeAfterwards(root);
    const { templates } = await synthesized(await loadFleet(root));
    const functions = templates.flatMap((template, index) =>
      Object.entries(template).flatMap(([id, { Type, Properties }]) =>
        Type === "AWS::Lambda::Function" ? [[index, id, Properties.FunctionName]] : [],
      ),
    );
    return { functions, keys: apiRoutesOf(templates).map(({ key }) => key) };
  };

  const before = await functionsWith({ "things/get-thing.ts": endpointSource("GET", "/things/{id}") });
  const after = await functionsWith({ "things/get-thing.ts": endpointSource("GET", "/things/{thing_id}") });

  expect(after.functions).toEqual(before.functions);
  expect([before.keys[0], after.keys[0]]).toEqual(["GET /api/v1/things/{id}", "GET /api/v1/things/{thing_id}"]);
});

test("functions that API Gateway invokes have names of their own, in every fleet of an account", async () => {
  const fleet = (await loadFleet()).filter((member) => member.kind === "endpoint" || member.kind === "fallback");
  const long = "A-fleet-of-the-longest-name-that-the-settings-accept";
  // Names that begin like one another.
  const fleets = ["S", "Skein", "Skein-2", "SkeinSkeinSkeinSkeinSkei", "SkeinSkeinSkeinSkeinSkein", long.slice(0, -1)];

  const names = fleets.flatMap((name) => fleet.map((member) => invokedFunctionName(name, member)));

  expect(new Set(names).size).toBe(fleets.length * fleet.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  for (const name of fleets) {
    const prefix = invokedFunctions(name).replace(/\*$/, "");
    const matched = names.filter((other) => other.startsWith(prefix));
    expect(matched).toEqual(fleet.map((member) => invokedFunctionName(name, member)));
  }
});

test("two paths that differ in the name of a variable only are refused", async () => {
  const { root } = fleetFolder({
    "things/get-thing.ts": endpointSource("GET", "/things/{id}"),
    "things/remove-thing.ts": endpointSource("DELETE", "/things/{thing_id}"),
  });
  removeAfterwards(root);

  await expect(loadFleet(root)).rejects.toThrow(/name the variables of one path differently/);
});

/** All resources by their logical IDs, which contain a hash of their path in the fleet. */
const resourcesOf = ({ templates }: { templates: readonly Template[] }) =>
  new Map<string, Resource>(templates.flatMap((template) => Object.entries(template)));
