import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { type EndpointMember, isEndpoint, isUnloaded, loadFleet, openEndpoints, pathOf } from "../../../infra/fleet.ts";
import { router } from "../../../infra/local/routes.ts";
import { declaredErrors } from "../../../infra/reference/declared-errors.ts";
import { declarationOf, type ErrorName } from "../../../shared/base/errors.ts";

/**
 * Compares every error that a test receives with the `errors` that the endpoint declares. As a global setup of `npm test`, it
 * also makes a complete run fail if there are declared errors that no test has received: the reference documentation would
 * promise errors that nobody can get, or that nothing tests.
 */

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder in which each worker records received errors, if they are collected. */
    receivedErrors: string | undefined;
  }
}

const startRouter = async () => router(await openEndpoints());
let starting: ReturnType<typeof startRouter> | undefined;

/** Loads no endpoint but the one that is found: a run of a few files receives errors of few. */
async function findEndpoint(method: string, path: string): Promise<EndpointMember | undefined> {
  starting ??= startRouter();
  const member = (await starting)(method, path)?.member;
  return member && isUnloaded(member) ? member.load() : member;
}

const recorded = new Set<string>();

const lineOf = ({ spec }: EndpointMember, error: ErrorName) => `${spec.method} ${pathOf(spec)}: ${error}`;

/** Throws for an error that the endpoint does not declare, or whose fields differ from the catalogue's. */
export async function checkError(method: string, url: string, status: number, body: unknown): Promise<void> {
  const error = errorIn(body);
  if (!error) return;
  const { code, msg, extra } = error;
  const path = url.split("?")[0] ?? "";
  const member = await findEndpoint(method, path);
  if (!member) return;
  const names = declaredErrors(member.spec);
  const name = names.find((one) => declarationOf(one).code === code && declarationOf(one).status === status);
  if (!name)
    throw new Error(`${method} ${path} answered ${status} ${code} (${msg}), which its declaration does not list.`);
  if (extra) checkFields(name, extra);
  record(lineOf(member, name));
}

interface ReceivedError {
  code: unknown;
  msg: unknown;
  /** The fields besides `result`, `msg` and `code`; undefined for a page, which has no fields. */
  extra?: Record<string, unknown>;
}

/** The error that a reply contains, in the envelope or as an error page (shared/features/joining/pages.ts). */
function errorIn(body: unknown): ReceivedError | undefined {
  if (typeof body === "string") {
    const [, code, msg] = /<p role="alert" data-code="(\w+)">(.*?)<\/p>/.exec(body) ?? [];
    return code === undefined ? undefined : { code, msg };
  }
  const { result, code, msg, ...extra } = (body ?? {}) as Record<string, unknown>;
  return result === "error" ? { code, msg, extra } : undefined;
}

function checkFields(name: ErrorName, extra: Record<string, unknown>): void {
  const { fields, sometimes } = declarationOf(name);
  const undeclared = Object.keys(extra).filter((field) => ![...fields, ...sometimes].includes(field));
  const missing = fields.filter((field) => !(field in extra));
  if (undeclared.length > 0 || missing.length > 0)
    throw new Error(
      `${name} came with ${undeclared.join(", ") || "nothing else"} and without ${missing.join(", ") || "nothing"}`,
    );
}

function record(line: string): void {
  const folder = inject("receivedErrors");
  if (!folder || recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(join(folder, String(process.pid)), `${line}\n`);
}

/** Collects received errors during a run; the returned function compares them at its end, and may make it fail. */
export function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "skein-errors-"));
  project.provide("receivedErrors", folder);
  return async () => {
    const received = new Set(
      readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n")),
    );
    rmSync(folder, { recursive: true });
    if (await wasPartial(project)) return;
    const endpoints = (await loadFleet()).filter(isEndpoint);
    const declared = endpoints.flatMap((member) => (member.spec.errors ?? []).map((name) => lineOf(member, name)));
    const notReceived = declared.filter((line) => !received.has(line));
    if (notReceived.length === 0) return;
    console.error(["Errors that an endpoint declares and no test received:", ...notReceived].join("\n  "));
    // An error thrown here would be printed with a stack trace, which hides the list.
    process.exitCode = 1;
  };
}

/** Whether some tests were not run or failed; then a missing error means nothing. */
async function wasPartial(project: TestProject): Promise<boolean> {
  const { testFiles } = await project.globTestFiles();
  const { config, state } = project.vitest;
  const isFiltered = config.testNamePattern !== undefined || state.getFiles().length < testFiles.length;
  return isFiltered || state.getFailedFilepaths().length > 0;
}
