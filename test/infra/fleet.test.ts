import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isWorker, loadFleet, openEndpoints, openFleet, refusedRoutes, routesOf } from "../../infra/fleet.ts";
import { checkQueues, queuesOf, scheduledQueuesOf } from "../../infra/queues.ts";
import type { JobKind } from "../../shared/services/jobs/queues.ts";
import { endpointSource, fallbackSource, fleetFolder, workerSource } from "./fleet-folder.ts";

let remove = () => {};
afterEach(() => remove());

function loadSources(sources: Record<string, string>) {
  const folder = fleetFolder(sources);
  remove = folder.remove;
  return loadFleet(folder.root);
}

test("the routes of endpoints that are not loaded are those of their declarations, and nearly all endpoints are such", async () => {
  const { loaded, unloaded } = await openFleet();

  for (const endpoint of unloaded) {
    const { spec } = await endpoint.load();
    expect(routesOf([endpoint])).toEqual(routesOf([await endpoint.load()]));
    expect([spec.waiting, spec.uses.sendsToEveryQueue]).toEqual([undefined, undefined]);
  }
  const fleet = await loadFleet();
  expect(routesOf([...loaded, ...unloaded])).toHaveLength(routesOf(fleet).length);
  expect(routesOf(await openEndpoints())).toEqual(routesOf(fleet));
  expect(unloaded.length).toBeGreaterThan(150);
});

test("finds each function by its folder and name, sorted", async () => {
  const fleet = await loadSources({
    "users/get-user.ts": endpointSource("GET", "/users/{user_id}"),
    "jobs/do-job.ts": workerSource("jobs"),
    "server/unknown-route.ts": fallbackSource,
  });

  expect(fleet.map(({ resource, name, kind }) => `${kind} ${resource}/${name}`)).toEqual([
    "worker jobs/do-job",
    "fallback server/unknown-route",
    "endpoint users/get-user",
  ]);
  expect(routesOf(fleet)).toEqual([{ method: "GET", path: "/api/v1/users/{user_id}" }]);
});

test("an endpoint may be outside the prefix, and a greedy variable is a separate route", async () => {
  const outside = endpointSource("GET", "/files/{path+}").replace("path:", 'prefix: "", path:');

  const fleet = await loadSources({ "a/outside.ts": outside, "a/inside.ts": endpointSource("GET", "/files/{name}") });

  expect(routesOf(fleet)).toEqual([
    { method: "GET", path: "/api/v1/files/{name}" },
    { method: "GET", path: "/files/{path+}" },
  ]);
});

test("methods that a path lacks are refused where a parameter of another route would capture them", async () => {
  const fleet = await loadSources({
    "messages/get-message.ts": endpointSource("GET", "/messages/{message_id}"),
    "messages/delete-message.ts": endpointSource("DELETE", "/messages/{message_id}"),
    "messages/render-message.ts": endpointSource("POST", "/messages/render"),
    "messages/get-flags.ts": endpointSource("GET", "/messages/flags"),
    "messages/get-history.ts": endpointSource("GET", "/messages/{message_id}/history"),
    "files/get-file.ts": endpointSource("GET", "/files/{path+}"),
    "files/finish-file.ts": endpointSource("POST", "/files/{token}/finish"),
  });

  const refused = refusedRoutes(fleet).map(({ method, path }) => `${method} ${path}`);

  expect(refused.sort()).toEqual([
    "DELETE /api/v1/messages/flags",
    "DELETE /api/v1/messages/render",
    "GET /api/v1/files/{token}/finish",
    "GET /api/v1/messages/render",
  ]);
});

test("names the file that exports no declaration", async () => {
  await expect(loadSources({ "users/get-user.ts": "export const handler = async () => {};" })).rejects.toThrow(
    "functions/users/get-user.ts exports no handler",
  );
});

test("refuses a duplicate route, whatever the names of its variables", async () => {
  await expect(
    loadSources({
      "users/get-user.ts": endpointSource("GET", "/users/{user_id}"),
      "users/get-user-again.ts": endpointSource("GET", "/users/{id}"),
    }),
  ).rejects.toThrow(
    "functions/users/get-user.ts and functions/users/get-user-again.ts both declare the route GET /api/v1/users/{}",
  );
});

test("refuses two workers for one queue", async () => {
  await expect(
    loadSources({ "jobs/do-job.ts": workerSource("jobs"), "jobs/do-job-too.ts": workerSource("jobs") }),
  ).rejects.toThrow("both declare the queue jobs");
});

test("refuses two workers for one kind of job", async () => {
  await expect(
    loadSources({
      "jobs/do-job.ts": workerSource("jobs", "uses: {}", "mend"),
      "jobs/do-later.ts": workerSource("later", "uses: {}", "mend"),
    }),
  ).rejects.toThrow("both declare the kind of job mend");
});

test("every declared kind of job is handled by the worker of its queue", async () => {
  const handledKinds = (await loadFleet()).filter(isWorker).flatMap(({ spec }) => spec.works.map(({ kind }) => kind));
  const sources = globSync("shared/**/*.ts").filter((file) => /= jobKind\(/.test(readFileSync(file, "utf8")));
  const modules: Record<string, unknown>[] = await Promise.all(sources.map((file) => import(resolve(file))));
  const declaredKinds = modules.flatMap((module) => Object.values(module)).filter(isJobKind);

  expect(declaredKinds.length).toBeGreaterThan(15);
  expect(new Set(declaredKinds)).toEqual(new Set(handledKinds));
});

const isJobKind = (value: unknown): value is JobKind =>
  typeof value === "object" && value !== null && "queue" in value && "body" in value;

test("reports a folder without functions", async () => {
  await expect(loadFleet("/nowhere")).rejects.toThrow("There is no folder functions in /nowhere");
});

test("derives the queues from the workers, and those that the scheduler may send to", async () => {
  const fleet = await loadSources({
    "jobs/do-job.ts": workerSource("jobs", "timeoutSeconds: 10, uses: {}"),
    "jobs/do-later.ts": workerSource("later", 'uses: { schedules: ["later"] }'),
  });

  expect(queuesOf(fleet)).toEqual([
    { name: "jobs", visibilitySeconds: 60, attempts: 3 },
    { name: "later", visibilitySeconds: 180, attempts: 3 },
  ]);
  expect(scheduledQueuesOf(fleet)).toEqual(["later"]);
});

test("refuses a function that sends to a queue without a worker", async () => {
  const fleet = await loadSources({ "users/get-user.ts": endpointSource("GET", "/u", '{ sends: ["nobody"] }') });

  expect(() => checkQueues(fleet)).toThrow("uses the queue nobody, which no worker declares");
});
