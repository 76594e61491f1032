import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { afterAll } from "vitest";
import { fleetStacks } from "../../../infra/aws/fleet-stacks.ts";
import { deploySettings } from "../../../infra/aws/settings.ts";
import { placeholderFolders } from "../../../infra/build/bundle.ts";
import type { FleetMember } from "../../../infra/fleet.ts";

export interface Resource {
  Type: string;
  Properties: Record<string, any>;
  DeletionPolicy?: string;
}
export type Template = Record<string, Resource>;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Has a folder removed after the tests of the current file, and returns it. */
export function removeAfterwards(folder: string): string {
  folders.push(folder);
  return folder;
}

/**
 * The resources of each template that `cdk synth` generates for a fleet with a CDK context, and the folder that it generates. Templates contain only a
 * hash of the functions' code, so the code folders contain unbundled sources, unless `bundle` says otherwise.
 */
export async function synthesized(
  fleet: readonly FleetMember[],
  context: Record<string, string> = {},
  bundle: typeof placeholderFolders = placeholderFolders,
) {
  const folder = removeAfterwards(mkdtempSync(join(tmpdir(), "skein-synth-")));
  const bundles = await bundle(fleet, join(folder, "dist"));
  // CDK's command line has the templates name the files of nested stacks and functions, which SAM reads.
  const assetMetadata = { "aws:cdk:enable-asset-metadata": true };
  const app = new App({ outdir: join(folder, "cdk.out"), context: { ...assetMetadata, ...context } });
  const core = fleetStacks(app, fleet, bundles, deploySettings(app.node));
  app.synth();
  const { files } = JSON.parse(readFileSync(join(folder, "cdk.out", `${context.name ?? "Skein"}.assets.json`), "utf8"));
  const paths: string[] = Object.values<any>(files)
    .filter(({ source }) => source.packaging === "file")
    .map(({ source }) => source.path);
  const templates: Template[] = paths.map(
    (path) => JSON.parse(readFileSync(join(folder, "cdk.out", path), "utf8")).Resources,
  );
  return { app, core, templates, outdir: join(folder, "cdk.out") };
}

export const allOf = (templates: readonly Template[], type: string): Resource[] =>
  templates.flatMap((template) => Object.values(template).filter(({ Type }) => Type === type));

/** A route of the API's definition, which templates have as an OpenAPI document. */
export interface DefinedRoute {
  /** Such as "GET /api/v1/users/{user_id}". */
  key: string;
  integration: Record<string, any>;
}

/** The OpenAPI document of the HTTP API. */
export function apiDefinitionOf(templates: readonly Template[]): Record<string, any> {
  const [body, ...others] = allOf(templates, "AWS::ApiGatewayV2::Api").flatMap(
    ({ Properties }) => Properties.Body ?? [],
  );
  if (!body || others.length > 0) throw new Error("There is not one API with a definition");
  return body;
}

/** The routes of the HTTP API. */
export const apiRoutesOf = (templates: readonly Template[]): DefinedRoute[] =>
  Object.entries<Record<string, any>>(apiDefinitionOf(templates).paths).flatMap(
    ([path, { parameters, ...operations }]) =>
      Object.entries(operations).map(([method, operation]) => ({
        key: operation.isDefaultRoute ? path.slice(1) : `${method.toUpperCase()} ${path}`,
        integration: operation["x-amazon-apigateway-integration"],
      })),
  );

/** The name of the function that a route invokes, without the name of an alias. */
export const invokedBy = ({ integration }: DefinedRoute): string | undefined =>
  /:function:([^:/]+)[^/]*\/invocations$/.exec(integration.uri?.["Fn::Sub"] ?? "")?.[1];

/**
 * The ARN in a list if it has a wildcard, otherwise an empty list. Allows wildcards for what is created at run time:
 * in one schedule group, bucket, log group or WebSocket API, or among the SQS queues or functions with one name prefix.
 */
export function wildcardsOf(resource: unknown, actions: string[]): string[] {
  const text = JSON.stringify(resource);
  const service = actions[0]?.split(":")[0];
  const allowed = {
    scheduler: /\/\*("|$)/g,
    s3: /\/\*("|$)/g,
    logs: /:\*("|$)/g,
    sqs: /:Skein-wake-up-\*("|$)/g,
    lambda: /:function:Skein_\*("|$)/g,
    "execute-api": /\/live\/(POST|DELETE)\/@connections\/\*("|$)/g,
  }[service ?? ""];
  const withoutAllowed = allowed ? text.replace(allowed, "") : text;
  return withoutAllowed.includes("*") || text === '"*"' ? [text] : [];
}
