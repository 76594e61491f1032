import { globSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { APIGatewayProxyStructuredResultV2, Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { EndpointSpec } from "../shared/http/endpoint.ts";
import type { HttpEvent } from "../shared/http/event.ts";
import type { Route } from "../shared/http/fallback.ts";
import type { WorkerSpec } from "../shared/jobs/worker.ts";
import type { Uses } from "../shared/uses.ts";

interface File {
  /** "messages-send-message": the function's name. */
  name: string;
  /** The folder, which is a nested stack of its own. */
  resource: string;
  file: string;
}

type HttpHandler = (event: HttpEvent, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
type JobHandler = (event: SQSEvent, context?: Context) => Promise<SQSBatchResponse>;

export type Endpoint = File & { kind: "endpoint"; spec: EndpointSpec; handler: HttpHandler };
export type Worker = File & { kind: "worker"; spec: WorkerSpec; handler: JobHandler };
/** The function behind the `$default` route. */
export type Fallback = File & { kind: "fallback"; spec: { uses: Uses }; handler: HttpHandler };
export type Member = Endpoint | Worker | Fallback;

export const apiPrefix = "/api/v1";

/** All functions of the fleet, by name; an error names the file that does not declare one. */
export async function loadFleet(root: string = resolve(import.meta.dirname, "..")): Promise<Member[]> {
  const files = globSync("functions/*/*.ts", { cwd: root }).sort();
  const fleet = await Promise.all(
    files.map(async (file): Promise<Member> => {
      const { handler } = (await import(pathToFileURL(resolve(root, file)).href)) as {
        handler?: Member["handler"] & Partial<Member>;
      };
      if (!handler?.kind || !handler.spec)
        throw new Error(`${file} does not export a handler made by endpoint(), worker() or fallback()`);
      const resource = basename(dirname(file));
      const name = `${resource}-${basename(file, ".ts")}`;
      return { name, resource, file: resolve(root, file), kind: handler.kind, spec: handler.spec, handler } as Member;
    }),
  );
  checkUnique(fleet, "route", (member) =>
    member.kind === "endpoint" ? `${member.spec.method} ${shape(member.spec.path)}` : undefined,
  );
  checkUnique(fleet, "queue", (member) => (member.kind === "worker" ? member.spec.job.queue : undefined));
  return fleet;
}

/** Paths that differ only in their parameters' names are one route. */
const shape = (path: string) => path.replace(/\{[^}]*\}/g, "{}");

function checkUnique(fleet: readonly Member[], what: string, keyOf: (member: Member) => string | undefined) {
  const seen = new Map<string, Member>();
  for (const member of fleet) {
    const key = keyOf(member);
    const other = key === undefined ? undefined : seen.get(key);
    if (other) throw new Error(`${member.file} and ${other.file} declare the same ${what}: ${key}`);
    if (key !== undefined) seen.set(key, member);
  }
}

/** The routes of the fleet's endpoints, as the fallback function knows them. */
export const routesOf = (fleet: readonly Member[]): Route[] =>
  fleet.flatMap((member) =>
    member.kind === "endpoint" ? [{ method: member.spec.method, path: apiPrefix + member.spec.path }] : [],
  );
