import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadFleet } from "../../../infra/fleet.ts";
import { synthesized } from "./synthesized.ts";

interface Resource {
  Type: string;
  DependsOn?: string | string[];
  Properties?: Record<string, unknown>;
  Metadata?: { "aws:asset:path"?: string };
}

/** A resource of a template or of one of its nested stacks, with the resources that CloudFormation creates before it. */
interface Step {
  type: string;
  name?: string;
  properties?: Record<string, unknown> | undefined;
  after: Set<Step>;
}

/** The names of resources to which a value refers. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "Ref" && typeof inner === "string") return [inner];
    if (key === "Fn::GetAtt" && Array.isArray(inner)) return [String(inner[0])];
    if (key === "Fn::Sub" && typeof inner === "string")
      return [...inner.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
    return referencesIn(inner);
  });
}

/**
 * Reads a template. A nested stack begins when everything that its resource refers to exists, and what refers to it begins when
 * all of its resources exist.
 */
function stepsOf(folder: string, file: string, begin: Step): { steps: Step[]; end: Step } {
  const { Resources } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { Resources: Record<string, Resource> };
  const end: Step = { type: "end", after: new Set([begin]) };
  const steps: Step[] = [];
  const bounds = new Map(
    Object.entries(Resources).map(([name, { Type, Properties, Metadata }]) => {
      const first: Step = { type: Type, name, properties: Properties, after: new Set([begin]) };
      const nested = Metadata?.["aws:asset:path"];
      if (Type !== "AWS::CloudFormation::Stack" || !nested) {
        steps.push(first);
        return [name, { first, last: first }];
      }
      const inner = stepsOf(folder, nested, first);
      steps.push(...inner.steps);
      return [name, { first, last: inner.end }];
    }),
  );
  for (const [name, { DependsOn = [], Properties }] of Object.entries(Resources)) {
    const { first, last } = bounds.get(name)!;
    for (const other of [DependsOn, referencesIn(Properties)].flat()) {
      const before = bounds.get(other);
      if (before && before.last !== last) first.after.add(before.last);
    }
    end.after.add(last);
  }
  return { steps, end };
}

/**
 * The size of the largest set of steps of which none waits for another. By Dilworth's theorem it is the number of steps less the
 * size of a maximum matching of each step with one of those after it.
 */
function mostAtOnce(steps: readonly Step[]): number {
  const counted = new Set(steps);
  const predecessors = new Map<Step, Set<Step>>();
  /** The counted steps before a step. */
  const allBefore = (step: Step): Set<Step> => {
    const known = predecessors.get(step);
    if (known) return known;
    const before = new Set<Step>();
    for (const previous of step.after) {
      if (counted.has(previous)) before.add(previous);
      for (const earlier of allBefore(previous)) before.add(earlier);
    }
    predecessors.set(step, before);
    return before;
  };
  const matchOf = new Map<Step, Step>();
  const findMatch = (step: Step, tried: Set<Step>): boolean =>
    [...allBefore(step)].some((previous) => {
      if (tried.has(previous)) return false;
      tried.add(previous);
      const current = matchOf.get(previous);
      if (current && !findMatch(current, tried)) return false;
      matchOf.set(previous, step);
      return true;
    });
  return steps.length - steps.filter((step) => findMatch(step, new Set())).length;
}

const step = (...after: Step[]): Step => ({ type: "", after: new Set(after) });

test("the count is that of the steps of which none waits for another", () => {
  const [a, b] = [step(), step()];
  const c = step(a);
  const [d, e] = [step(c), step(c)];

  expect(mostAtOnce([a])).toBe(1);
  expect(mostAtOnce([a, b, c, d, e])).toBe(3);
  expect(mostAtOnce([a, c, d])).toBe(1);
});

test("each API is changed by one operation at a time, because API Gateway refuses others", {
  timeout: 300_000,
}, async () => {
  const { outdir } = await synthesized(await loadFleet());
  const { steps } = stepsOf(outdir, "Skein.template.json", step());

  const ofGateway = steps.filter(({ type }) => type.startsWith("AWS::ApiGatewayV2::"));
  const apiOf = ({ name, properties }: Step) => String(referencesIn(properties?.ApiId)[0] ?? name);
  const apis = Map.groupBy(ofGateway, apiOf);
  // The HTTP API and its stage; the WebSocket API, its stage, and two routes with their integrations.
  expect([...apis.values()].map((ofApi) => ofApi.length).sort()).toEqual([2, 6]);
  for (const ofApi of apis.values()) expect(mostAtOnce(ofApi)).toBe(1);
});
