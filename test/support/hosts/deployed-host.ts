import type { TestProject } from "vitest/node";
import type { Target } from "../target.ts";

/** Provides the fleets that `npm run test:deploy` has deployed, one for each worker. */
export function setup(project: TestProject) {
  const { SKEIN_DEPLOYED: fleets } = process.env;
  if (!fleets) throw new Error("SKEIN_DEPLOYED is not set: run these tests by `npm run test:deploy`.");
  project.provide("targets", JSON.parse(fleets) as Target[]);
}
